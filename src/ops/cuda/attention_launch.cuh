// Starting the attention kernels: one block per head.
#pragma once

#include <stdexcept>
#include <string>

#include "base/philox.h"
#include "ops/cuda/attention.h"

namespace mgdm::ops::cuda {

MGDM_HOST_DEVICE constexpr int round_up(int value, int step) {
  return (value + step - 1) / step * step;
}

// Bytes of shared memory that a block may have when a multiprocessor shall run `blocks` of them;
// each costs 1 KB besides. All devices are taken to be like the first that asks.
inline int shared_memory(int blocks) {
  static const int all = [] {
    int device = 0, bytes = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    return bytes;
  }();
  return all / blocks - 1024;
}

// Shared memory that the backward kernel needs at least.
int attention_backward_bytes(std::int64_t length, std::int64_t size);

// Blocks may use more than 48 KB of shared memory only after asking for it.
template <class Arguments>
void launch_heads(void (*kernel)(Arguments), const AttentionSettings& settings, int warps,
                  int shared, cudaStream_t stream, const Arguments& arguments) {
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (error == cudaSuccess) {
    kernel<<<static_cast<unsigned>(settings.batch * settings.heads), 32 * warps, shared, stream>>>(
        arguments);
    error = cudaGetLastError();
  }
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("attention: ") + cudaGetErrorString(error));
}

}  // namespace mgdm::ops::cuda
