// Products in 8-bit floats: a choice of training, off unless it is asked for.
#pragma once

namespace mgdm::ops {

// While one lives that is told so, linear(), linear_branch() and the MLPs of this thread round what
// they multiply to fp8, where a gradient will be asked for, and so do their gradients: weights and
// activations to e4m3, gradients to e5m2, each matrix with a scale of its own. The forward
// pass sums in the matrix unit's own some 14 bits; biases, activations and results stay as they
// are. It takes a GPU with such units, bf16 mixed precision, our kernels, and weights of float
// whose sizes are multiples of 16; elsewhere nothing changes.
class WithFp8Products {
 public:
  explicit WithFp8Products(bool with);
  ~WithFp8Products();
  WithFp8Products(const WithFp8Products&) = delete;
  WithFp8Products& operator=(const WithFp8Products&) = delete;

 private:
  bool before_;
};

bool with_fp8_products();

}  // namespace mgdm::ops
