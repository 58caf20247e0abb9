// Loops on LibTorch's own threads.
#pragma once

#include <cstdint>
#include <functional>

namespace mgdm::compat {

// Calls body(first, last) for parts of [begin, end) with at least `grain` numbers each, and waits
// for all of them. at::parallel_for is a template that is parallel only in a file compiled with
// OpenMP, and silently serial elsewhere; this function is compiled in such a file.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body);

// Sets the number of LibTorch's CPU threads; 0 means OMP_NUM_THREADS, or all cores that this
// process may use. Returns the number. Call it before work starts: LibTorch's own default is wrong
// on some machines (1.13 takes 1 of the 2 cores of some virtual machines).
int use_threads(int requested);

// Sets LibTorch to one CPU thread, for a loop that feeds a GPU: its copies are small, and OpenMP's
// threads would spin on all cores between them.
void use_one_thread();

}  // namespace mgdm::compat
