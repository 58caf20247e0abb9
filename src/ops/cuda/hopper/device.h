// What the kernels here ask of a device.
#pragma once

namespace mgdm::ops::cuda {

struct HopperDevice {
  int multiprocessors = 0, shared_bytes = 0, major = 0;

  static const HopperDevice& current();  // all devices are taken to be like the first that asks
};

}  // namespace mgdm::ops::cuda
