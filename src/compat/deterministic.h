// Bit-for-bit reproducible results on CUDA. Without this, some kernels add in the order in which
// their threads arrive. The CPU is always deterministic.
#pragma once

namespace mgdm::compat {

// TF32 on CUDA: factors of fp32 products are rounded to 11 bits of precision instead of 24, which
// is several times as fast. Sums stay in fp32.
//
// While it lives and is `enabled`, LibTorch may round to TF32. bf16 factors have 8 bits and lose
// nothing.
class Tf32Products {
 public:
  explicit Tf32Products(bool enabled);
  ~Tf32Products();
  Tf32Products(const Tf32Products&) = delete;
  Tf32Products& operator=(const Tf32Products&) = delete;

 private:
  const bool before_;
};

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
