// The measured peak rates of a device, with which kernels are compared (not with a data sheet).
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace mgdm::torch_commands {

struct DeviceRates {
  double bytes_per_second = 0;  // read and written by a copy within its memory; 0: not measured
  double flop_per_second = 0;   // of a large product of random matrices, on a GPU in bf16

  bool operator==(const DeviceRates&) const = default;
};

// Measures a copy of so many bytes and a matmul of (side, side) matrices: the best of a few
// timings, in a fraction of a second on a GPU.
DeviceRates measure_rates(c10::Device device, std::int64_t copied_bytes = std::int64_t{1} << 28,
                          std::int64_t side = 8192);

}  // namespace mgdm::torch_commands
