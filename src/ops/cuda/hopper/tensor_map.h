// Matrices as the tensor copies take them, and what the kernels here ask of a device.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace mgdm::ops::cuda {

// Boxes of `box_rows` rows and 64 columns of a bf16 matrix, contiguous and aligned to 16 bytes.
CUtensorMap tensor_map_of(const void* matrix, std::int64_t rows, std::int64_t columns,
                          int box_rows);

struct HopperDevice {
  int multiprocessors = 0, shared_bytes = 0, major = 0;

  static const HopperDevice& current();  // all devices are taken to be like the first that asks
};

}  // namespace mgdm::ops::cuda
