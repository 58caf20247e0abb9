// Bit for bit the same on CUDA: without this, some kernels add in whatever order their threads
// come. The CPU always is.
#pragma once

namespace mgdm::compat {

// To be called before anything touches the GPU: cuBLAS reads its setting once. Keeps what the user
// has set.
void prepare_deterministic_cuda();

// LibTorch chooses deterministic kernels (of attention's backward pass, above all) while it lives,
// where `enabled`; an operation that has none throws. Not for decoding, which needs no such
// promise.
class Deterministic {
 public:
  explicit Deterministic(bool enabled);
  ~Deterministic();
  Deterministic(const Deterministic&) = delete;
  Deterministic& operator=(const Deterministic&) = delete;

 private:
  const bool enabled_;
};

}  // namespace mgdm::compat
