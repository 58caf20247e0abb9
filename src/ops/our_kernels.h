// The choice between mgdm's CUDA kernels and LibTorch's operations, which compute the same.
#pragma once

namespace mgdm::ops {

inline thread_local bool kernels_are_ours = true;

// While one lives that is told so, operations called by this thread leave our CUDA kernels alone,
// and so do their gradients.
class WithoutOurKernels {
 public:
  explicit WithoutOurKernels(bool without) : before_(kernels_are_ours) {
    if (without) kernels_are_ours = false;
  }
  ~WithoutOurKernels() { kernels_are_ours = before_; }
  WithoutOurKernels(const WithoutOurKernels&) = delete;
  WithoutOurKernels& operator=(const WithoutOurKernels&) = delete;

 private:
  bool before_;
};

inline bool with_our_kernels() { return kernels_are_ours; }

}  // namespace mgdm::ops
