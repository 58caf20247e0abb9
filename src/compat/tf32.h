// TF32 on CUDA: factors of fp32 products are rounded to 11 bits of precision instead of 24, which
// is several times as fast. Sums stay in fp32.
#pragma once

namespace mgdm::compat {

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

}  // namespace mgdm::compat
