// What c10d calls its parts, from LibTorch 1.13 on.
#pragma once

#include <torch/version.h>

#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/Backend.hpp>
#else
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#endif

namespace mgdm::compat {

// Gloo or NCCL.
#if TORCH_VERSION_MAJOR >= 2
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;  // 1.13: backends are groups
#endif

// The end of an NCCL backend whose work is done. From 2.6 on it is otherwise torn down as after a
// failure, which does not wait for the others.
template <class Nccl>
void shut_down([[maybe_unused]] Nccl& nccl) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
  nccl.shutdown();
#endif
}

}  // namespace mgdm::compat
