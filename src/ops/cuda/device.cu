#include <cuda_runtime_api.h>

#include "ops/cuda/device.h"

namespace mgdm::ops::cuda {

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

}  // namespace mgdm::ops::cuda
