// Products of fp32 matrices on CUDA with factors rounded to TF32: 11 bits of precision instead of
// 24, several times as fast. Sums stay in fp32.
#pragma once

namespace mgdm::compat {

// LibTorch may round while it lives, where `enabled`. bf16 factors, of 8 bits, lose nothing.
class Tf32Products {
 public:
  explicit Tf32Products(bool enabled);
  ~Tf32Products();
  Tf32Products(const Tf32Products&) = delete;
  Tf32Products& operator=(const Tf32Products&) = delete;

 private:
  const bool before_;
};

}  // namespace mgdm::compat
