#include "compat/parallel.h"

#include <ATen/Parallel.h>

namespace mgdm::compat {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body) {
  at::parallel_for(begin, end, grain, body);
}

void use_one_thread() { at::set_num_threads(1); }

}  // namespace mgdm::compat
