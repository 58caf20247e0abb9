// What kernels ask of the current GPU before they are launched, and matrices as its tensor copies
// take them: bf16, contiguous, aligned to 16 bytes.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace mgdm::ops::cuda {

struct Gpu {
  int multiprocessors = 1;
  int shared_bytes = 0;  // of shared memory that a block may have
  int major = 0;         // of the compute capability

  static const Gpu& current();  // asked once: all GPUs of a process are taken to be alike
};

// Whether the current device has tensor copies.
bool has_tensor_copies();

// Boxes of `box_rows` rows and 64 columns of a matrix.
CUtensorMap tensor_map_of(const void* matrix, std::int64_t rows, std::int64_t columns,
                          int box_rows);

// Boxes of `box_rows` rows and 16, 32 or 64 columns of one of several matrices. A row of a box is
// 2 box_columns bytes long, and its 16-byte pieces change places as attention_rows.cuh says.
CUtensorMap tensor_map_of(const void* matrices, std::int64_t count, std::int64_t rows,
                          std::int64_t columns, int box_rows, int box_columns);

}  // namespace mgdm::ops::cuda
