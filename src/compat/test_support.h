// Test helpers for all rooms that compute on devices.
#pragma once

#include <c10/core/Device.h>

#include <vector>

#include "compat/device.h"

namespace mgdm::compat {

// The devices on which operations are tested: the CPU and, if there is one, the GPU.
inline std::vector<c10::Device> devices() {
  std::vector<c10::Device> all{c10::Device(c10::kCPU)};
  if (cuda_available()) all.push_back(device("cuda"));
  return all;
}

}  // namespace mgdm::compat
