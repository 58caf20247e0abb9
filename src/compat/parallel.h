// Loops shared by LibTorch's own threads.
#pragma once

#include <cstdint>
#include <functional>

namespace mgdm::compat {

// Calls body(first, last) for parts of [begin, end), each of at least `grain` numbers, and waits.
// at::parallel_for is a template that shares work only in a file compiled with OpenMP, and is
// silently serial elsewhere: this is that file.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body);

// From now on LibTorch works on the CPU with that many threads; for 0 with OMP_NUM_THREADS, or else
// with all cores that this process may use. Gives the number. To be called before work starts: by
// itself LibTorch counts otherwise (1.13 takes 1 of the 2 cores of some virtual machines).
int use_threads(int requested);

// From now on LibTorch works on the CPU with one thread. For a loop that feeds a GPU: what it
// copies is small, and between such copies the threads of OpenMP would wait by spinning, on all
// cores.
void use_one_thread();

}  // namespace mgdm::compat
