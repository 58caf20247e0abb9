// The choice between mgdm's CUDA kernels and LibTorch's operations, which compute the same.
#pragma once

namespace mgdm::ops {

// While one lives that is told so, operations called by this thread leave our CUDA kernels alone,
// and so do their gradients.
class WithoutOurKernels {
 public:
  explicit WithoutOurKernels(bool without);
  ~WithoutOurKernels();
  WithoutOurKernels(const WithoutOurKernels&) = delete;
  WithoutOurKernels& operator=(const WithoutOurKernels&) = delete;

 private:
  bool before_;
};

bool with_our_kernels();

}  // namespace mgdm::ops
