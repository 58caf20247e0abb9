// Bit-for-bit reproducible results on CUDA. Without this, some kernels add in the order in which
// their threads arrive. The CPU is always deterministic.
#pragma once

namespace mgdm::compat {

// Call this before anything uses the GPU: cuBLAS reads its setting once. A setting of the user is
// kept.
void prepare_deterministic_cuda();

// While it lives and is `enabled`, LibTorch chooses deterministic kernels (above all for
// attention's backward pass). An operation that has none throws. Decoding does not need this.
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
