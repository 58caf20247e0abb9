// Matrices as the tensor copies take them.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace mgdm::ops::cuda {

// Boxes of `box_rows` rows and 64 columns of a bf16 matrix, contiguous and aligned to 16 bytes.
CUtensorMap tensor_map_of(const void* matrix, std::int64_t rows, std::int64_t columns,
                          int box_rows);

}  // namespace mgdm::ops::cuda
