// Rows of numbers in memory, `stride` numbers from one row to the next.
#pragma once

#include <cstddef>

namespace mgdm::vectors {

struct ConstRows {
  const float* data = nullptr;
  std::size_t stride = 0;
};

struct MutableRows {
  float* data = nullptr;
  std::size_t stride = 0;
};

}  // namespace mgdm::vectors
