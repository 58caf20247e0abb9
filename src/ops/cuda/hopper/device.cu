#include <cuda_runtime_api.h>

#include "ops/cuda/hopper/device.h"

namespace mgdm::ops::cuda {

const HopperDevice& HopperDevice::current() {
  static const HopperDevice found = [] {
    HopperDevice d;
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
