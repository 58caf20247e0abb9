#include "ops/first_qkv.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>

#include <algorithm>
#include <array>

namespace mgdm::ops {
namespace {

// What a table is made of.
std::array<at::Tensor, 7> sources_of(const Transformer& network) {
  const Transformer::Layer& first = network.layers.front();
  return {network.embedding.tokens,
          network.embedding.positions,
          network.embedding.frozen,
          first.norm_attention.weight,
          first.norm_attention.bias,
          first.qkv,
          first.qkv_bias};
}

at::Tensor as_in_bf16(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.to(at::kBFloat16).to(at::kFloat) : tensor;
}

}  // namespace

std::int64_t first_qkv_rows(const Transformer& network, std::int64_t length) {
  const EmbeddingTables& tables = network.embedding;
  return length * (tables.frozen.defined() ? 2 : 1) * tables.tokens.size(0);
}

at::Tensor first_qkv(const Transformer& network, std::int64_t length) {
  const at::NoGradGuard no_grad;
  const EmbeddingTables& tables = network.embedding;
  const Transformer::Layer& first = network.layers.front();
  // (N, 1, 1, C) + (V, C), then (2, 1, C): in the order of the kernels
  at::Tensor x = tables.positions.slice(0, 0, length).unsqueeze(1).unsqueeze(1) + tables.tokens;
  if (tables.frozen.defined()) x = x + tables.frozen.unsqueeze(1);
  const at::Tensor n = residual_norm(x.flatten(0, 2), {}, first.norm_attention, /*dropped=*/0).n;
  // Sums of fp32, of numbers that bf16 has.
  return at::linear(as_in_bf16(n), as_in_bf16(first.qkv), as_in_bf16(first.qkv_bias))
      .to(at::kBFloat16);
}

FirstQkv::Source::Source(const at::Tensor& tensor)
    : held(tensor.defined() ? tensor.detach() : at::Tensor()),
      version(tensor.defined() ? tensor._version() : 0) {}

bool FirstQkv::Source::is(const at::Tensor& tensor) const {
  if (!tensor.defined() || !held.defined()) return tensor.defined() == held.defined();
  return tensor.data_ptr() == held.data_ptr() && tensor.sizes() == held.sizes() &&
         tensor._version() == version;
}

at::Tensor FirstQkv::of(const Transformer& network, std::int64_t length) {
  const std::array now = sources_of(network);
  const double eps = network.layers.front().norm_attention.eps;
  const bool same =
      eps == eps_ &&
      std::ranges::equal(sources_, now, [](const auto& a, const auto& b) { return a.is(b); });
  if (same && length <= length_) return table_;
  table_ = first_qkv(network, length);
  length_ = length;
  eps_ = eps;
  sources_ = std::vector<Source>(now.begin(), now.end());
  return table_;
}

}  // namespace mgdm::ops
