#include "ops/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "ops/cpu/functions.h"
#include "ops/cuda/functions.h"
#include "ops/residual_norm.h"
#include "ops/shared_weight.h"

namespace mgdm::ops {

at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped) {
  if (cuda::embed_takes(tables, shown)) return cuda::embed(tables, shown, dropped);
  at::Tensor x =
      shown.vectors.defined() ? shown.vectors : at::embedding(tables.tokens, shown.tokens);
  x = x + tables.positions;
  if (tables.frozen.defined()) x = x + at::embedding(tables.frozen, shown.frozen.to(at::kLong));
  return dropout(x, dropped);
}

at::Tensor gelu(const at::Tensor& x) { return cpu::takes(x) ? cpu::gelu(x) : at::gelu(x, "tanh"); }

at::Tensor relu_squared(const at::Tensor& x) {
  const at::Tensor positive = at::relu(x);
  return positive * positive;  // a power would leave bf16 for fp32 under autocast
}

Branch mlp_gelu(const at::Tensor& x, const Mlp& mlp) {
  if (cuda::mlp_takes(x, mlp)) return cuda::mlp_gelu(x, mlp);
  return linear_branch(ops::gelu(linear(x, mlp.up, mlp.up_bias)), mlp.down, mlp.down_bias);
}

Branch mlp_relu_squared(const at::Tensor& x, const Mlp& mlp, const at::Tensor& stream) {
  if (cuda::mlp_takes(x, mlp))
    return cuda::mlp_relu_squared(
        x, mlp,
        cuda::stream_takes_products(stream) && !mlp.down_bias.defined() ? stream : at::Tensor());
  return linear_branch(ops::relu_squared(linear(x, mlp.up, mlp.up_bias)), mlp.down, mlp.down_bias);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return cuda::linear(x, weight, bias);
  if (cpu::linear_takes(x, weight)) return cpu::linear(x, parameter_of(weight), bias);
  return at::linear(x, parameter_of(weight), bias);
}

Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& stream) {
  if (cuda::linear_takes(x, weight)) {
    if (cuda::stream_takes_products(stream) && !bias.defined())
      return {cuda::linear(x, weight, {}, stream), {}, /*is_stream=*/true};
    return {cuda::linear(x, weight, {}), bias};
  }
  return {linear(x, weight, bias)};
}

}  // namespace mgdm::ops
