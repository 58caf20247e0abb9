// Names of c10d's classes, which changed after LibTorch 1.13.
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

// Shuts down an NCCL backend whose work is done. Since LibTorch 2.6 a backend that is only
// destroyed is torn down as after a failure, without waiting for the other ranks.
template <class Nccl>
void shut_down([[maybe_unused]] Nccl& nccl) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
  nccl.shutdown();
#endif
}

}  // namespace mgdm::compat
