#include "compat/parallel.h"

#include <ATen/Parallel.h>

#include "base/cores.h"

namespace mgdm::compat {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body) {
  at::parallel_for(begin, end, grain, body);
}

int use_threads(int requested) {
  const int threads = thread_count(requested);
  at::set_num_threads(threads);
  return threads;
}

void use_one_thread() { at::set_num_threads(1); }

}  // namespace mgdm::compat
