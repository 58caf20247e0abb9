// f(x W^T + b) and its gradient with the activation inside the products, on Hopper's matrix units:
// what is between product and activation crosses memory once less each way, and no pass of its own
// waits for it.
//
//   forward   product = x W^T                  y = f(product + bias)
//   backward  dproduct = (dz V) f'(product + bias), where z = y V^T is what the MLP makes of y;
//             dbias = the sum of its rows
//
// What backward reads is `kept` as bias_activation.h says: of relu squared y, not the product.
//
// All matrices are bf16, contiguous, aligned to 16 bytes; sums, biases and f are fp32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/cuda/bias_activation.h"

namespace mgdm::ops::cuda {

struct ActivatedProduct {
  Activation activation;
  std::int64_t rows, columns, depth;  // M, N, K
  const void* x;                      // (M, K): x, or dz
  const void* weight;                 // W (N, K), or V (K, N)
  const float* bias;                  // (N), or null: always where backward reads y
  void* product;                      // (M, N): forward writes it, if not null; backward: `kept`
  void* out;                          // (M, N): y, or dproduct
};
void launch_activated_product(const ActivatedProduct& arguments, cudaStream_t stream);

// dbias may be null.
void launch_activated_product_backward(const ActivatedProduct& arguments, float* dbias,
                                       float* workspace, cudaStream_t stream);
std::size_t activated_product_workspace(std::int64_t columns);  // bytes

// Whether the current device has the units, and shared memory for so deep a product.
bool activated_product_takes(std::int64_t columns, std::int64_t depth);

}  // namespace mgdm::ops::cuda
