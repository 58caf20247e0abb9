#include "compat/parallel.h"

#include <ATen/Parallel.h>

#include <cstdlib>

#include "base/cores.h"
#include "base/text.h"

namespace mgdm::compat {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body) {
  at::parallel_for(begin, end, grain, body);
}

int use_threads(int requested) {
  int threads = requested;
  if (const char* const asked = std::getenv("OMP_NUM_THREADS"); threads == 0 && asked != nullptr) {
    const auto number = parse_int(split(asked, ',').front());  // "4,2" is for nested loops
    if (number && *number >= 1 && *number <= kMostThreads) threads = static_cast<int>(*number);
  }
  if (threads == 0) threads = usable_cores();
  at::set_num_threads(threads);
  return threads;
}

void use_one_thread() { at::set_num_threads(1); }

}  // namespace mgdm::compat
