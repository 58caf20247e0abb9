// Which kernels a piece of work spends its time in, by LibTorch's profiler.
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

// The kernels of body(), which waits for them itself; those that took longest first. Empty on a
// CPU. Of a replayed graph nobody knows who launched them: no labels, bytes or flop.
std::vector<KernelUse> profile_kernels(const std::function<void()>& body);

// Gives kernels the label and work of those with the same name and as many calls.
void add_work(std::vector<KernelUse>& kernels, const std::vector<KernelUse>& with_work);

// What a profiler saw: a kernel, or an operation on the host that may have launched some.
struct ProfiledEvent {
  bool on_device = false;
  std::string name{};
  std::uint64_t id = 0;      // of an operation
  std::uint64_t launch = 0;  // of a kernel: the operation that launched it
  double ms = 0;
  double bytes = 0, flop = 0;  // of an operation of LibTorch's
};

// A kernel's bytes and flop are known if those of all its calls are. Of several kernels of one
// operation, the longest has done the work.
std::vector<KernelUse> uses_of(const std::vector<ProfiledEvent>& events);

}  // namespace mgdm::compat
