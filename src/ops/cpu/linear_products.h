// The products of a linear layer and of its gradients on all threads, by vectors/product.h:
//
//   y = x W^T + b    dx = dy W    dW = dy^T x
//
// for x (rows, in), W (out, in), y (rows, out), each row behind row.
#pragma once

#include <cstddef>

namespace mgdm::ops::cpu {

struct LinearShape {
  std::size_t rows = 0, in = 0, out = 0;
};

void linear_product(const LinearShape& shape, const float* x, const float* weight,
                    const float* bias,  // or null
                    float* y);
void input_gradient(const LinearShape& shape, const float* dy, const float* weight, float* dx);
void weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dweight);

}  // namespace mgdm::ops::cpu
