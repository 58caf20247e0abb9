#include "nn/noised_vectors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include "compat/device.h"

namespace mgdm::nn {
namespace {

// (B) beside (B, N, D).
at::Tensor by_row(const at::Tensor& values) { return values.view({-1, 1, 1}); }

}  // namespace

at::Tensor signal(const at::Tensor& gamma) { return at::sigmoid(-gamma).sqrt(); }

at::Tensor noise(const at::Tensor& gamma) { return at::sigmoid(gamma).sqrt(); }

at::Tensor unit_rows(const at::Tensor& table) {
  constexpr double kTiny = 1e-12;  // keeps the gradient of a row of zeros finite
  return table / (table.square().sum(-1, /*keepdim=*/true) + kTiny).sqrt();
}

at::Tensor rows_at(const at::Tensor& table, const at::Tensor& tokens) {
  return table.index_select(0, tokens.flatten()).view({tokens.size(0), tokens.size(1), -1});
}

at::Tensor noised_vectors(const at::Tensor& x, const at::Tensor& eps, const at::Tensor& gamma) {
  return by_row(signal(gamma)) * x + by_row(noise(gamma)) * eps;
}

at::Tensor evidence(const at::Tensor& z, const at::Tensor& gamma, const at::Tensor& rows) {
  // -|z - alpha x|^2 / (2 sigma^2), where |z|^2 and |x|^2 = 1 are the same for all tokens.
  const compat::FullPrecision full(z.device());
  return by_row(signal(gamma) / at::sigmoid(gamma)) * at::matmul(z, rows.t());
}

at::Tensor expected_vectors(const at::Tensor& logits, const at::Tensor& rows) {
  const compat::FullPrecision full(logits.device());
  return at::matmul(at::softmax(logits, -1), rows.to(logits.scalar_type()));
}

}  // namespace mgdm::nn
