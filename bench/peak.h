// The most that the processor can do, measured: what a product can be held against.
#pragma once

namespace mgdm::bench {

// Multiplications and additions in fp32 per second on so many threads, by the widest vectors there
// are, in registers.
double peak_operations(int threads);

}  // namespace mgdm::bench
