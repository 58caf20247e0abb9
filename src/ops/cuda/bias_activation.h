// y = f(x + b) for a product x (rows, columns) whose bias b (columns) is still to be added, where f
// is gelu in its tanh form or relu squared; and its gradients, b's too, in one pass each.
//
// What forward leaves for backward, `kept`: gelu's x, and the y of relu squared, since its slope is
// 2 sqrt(y). So a network keeps one matrix less; the root has half of the rounding of y.
//
// All (rows, columns) are bf16 and contiguous, columns a multiple of 8; biases are fp32. What lies
// between is computed in fp32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

enum class Activation { kGelu, kReluSquared };

// y = f(x + bias); without a bias when it is null. y may be x.
void launch_bias_activation(Activation activation, const void* x, const float* bias, void* y,
                            std::int64_t rows, std::int64_t columns, cudaStream_t stream);

// dx = dy f'(x + bias), and dbias = the sum of its rows; not wanted when null. The bias is null
// where `kept` has it: always with relu squared.
void launch_bias_activation_backward(Activation activation, const void* dy, const void* kept,
                                     const float* bias, void* dx, float* dbias, float* workspace,
                                     std::int64_t rows, std::int64_t columns, cudaStream_t stream);

// sums = the sum of the rows of x: the bias gradient of a product without an activation.
void launch_column_sum(const void* x, float* sums, float* workspace, std::int64_t rows,
                       std::int64_t columns, cudaStream_t stream);

// Bytes of workspace for sums over rows; the same bits come out in every run.
std::size_t column_sum_workspace(std::int64_t columns);

}  // namespace mgdm::ops::cuda
