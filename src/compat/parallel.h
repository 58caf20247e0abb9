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

}  // namespace mgdm::compat
