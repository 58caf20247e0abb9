// Which kernels a piece of work spends its time in, by LibTorch's profiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mgdm::compat {

struct KernelUse {
  std::string name;  // of the kernel, without its arguments
  std::int64_t calls = 0;
  double ms = 0;    // of all calls
  double flop = 0;  // of matrix products, by the shapes of the operations that called them; else 0
};

// The kernels of body(), which waits for them itself; those that took longest first. Empty on a
// CPU.
std::vector<KernelUse> profile_kernels(const std::function<void()>& body);

}  // namespace mgdm::compat
