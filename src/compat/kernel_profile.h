// The kernels in which a piece of work spends its time, measured by LibTorch's profiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mgdm::compat {

struct KernelUse {
  std::string name{};   // of the kernel, without its arguments
  std::string label{};  // what it is for, where whoever launched it told: compat/kernel_work.h
  std::int64_t calls = 0;
  double ms = 0;     // of all calls
  double bytes = 0;  // that all calls read and wrote; 0: not known
  double flop = 0;   // of all calls' matrix products; 0: none, or not known
};

// Profiles the kernels of body(), which must wait for them itself; the slowest come first. Empty on
// a CPU. A replayed graph does not say who launched a kernel: then labels, bytes and flop are
// missing.
std::vector<KernelUse> profile_kernels(const std::function<void()>& body);

// Copies labels and work to kernels with the same name and number of calls.
void add_work(std::vector<KernelUse>& kernels, const std::vector<KernelUse>& with_work);

// An event of the profiler: a kernel, or an operation on the host that may have launched kernels.
struct ProfiledEvent {
  bool on_device = false;
  std::string name{};
  std::uint64_t id = 0;      // of an operation
  std::uint64_t launch = 0;  // of a kernel: the operation that launched it
  double ms = 0;
  double bytes = 0, flop = 0;  // of an operation of LibTorch's
};

// Bytes and flop of a kernel are known only if they are known for all its calls. When an operation
// launched several kernels, the longest counts as the one that did the work.
std::vector<KernelUse> uses_of(const std::vector<ProfiledEvent>& events);

}  // namespace mgdm::compat
