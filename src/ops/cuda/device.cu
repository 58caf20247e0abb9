#include <cuda_runtime_api.h>

#include <initializer_list>
#include <stdexcept>

#include "ops/cuda/device.h"

namespace mgdm::ops::cuda {
namespace {

// Sizes from the fastest dimension to the slowest.
CUtensorMap encoded(const void* from, std::initializer_list<std::int64_t> sizes,
                    std::initializer_list<std::int64_t> box, CUtensorMapSwizzle swizzle,
                    CUtensorMapL2promotion promotion) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                     &result);
    return reinterpret_cast<Encode>(found);
  }();
  cuuint64_t all[3], pitch[3];
  cuuint32_t part[3];
  const cuuint32_t steps[3] = {1, 1, 1};
  cuuint64_t bytes = 2;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    all[i] = static_cast<cuuint64_t>(sizes.begin()[i]);
    part[i] = static_cast<cuuint32_t>(box.begin()[i]);
    pitch[i] = bytes *= all[i];
  }
  CUtensorMap map;
  if (encode == nullptr ||
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, static_cast<cuuint32_t>(sizes.size()),
             const_cast<void*>(from), all, pitch, part, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    throw std::runtime_error("a kernel's matrices cannot be copied as tensors");
  return map;
}

}  // namespace

const Gpu& Gpu::current() {
  static const Gpu found = [] {
    Gpu d;
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&d.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&d.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&d.major, cudaDevAttrComputeCapabilityMajor, device);
    return d;
  }();
  return found;
}

bool has_tensor_copies() { return Gpu::current().major >= 9; }

CUtensorMap tensor_map_of(const void* matrix, std::int64_t rows, std::int64_t columns,
                          int box_rows) {
  return encoded(matrix, {columns, rows}, {64, box_rows}, CU_TENSOR_MAP_SWIZZLE_128B,
                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
}

CUtensorMap tensor_map_of(const void* matrices, std::int64_t count, std::int64_t rows,
                          std::int64_t columns, int box_rows, int box_columns) {
  const auto swizzle = box_columns == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                       : box_columns == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                           : CU_TENSOR_MAP_SWIZZLE_32B;
  return encoded(matrices, {columns, rows, count}, {box_columns, box_rows, 1}, swizzle,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE);
}

}  // namespace mgdm::ops::cuda
