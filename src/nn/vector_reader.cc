#include "nn/vector_reader.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>

#include "base/error.h"
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

VectorReader::VectorReader(const Parameters& parameters) {
  const auto of = [&](const char* name) {
    return parameters.at(std::string("transformer.vdm.") + name);
  };
  tokens_ = of("tokens");
  input_ = of("input");
  guess_ = of("guess");
  up_ = of("level.up.weight");
  up_bias_ = of("level.up.bias");
  down_ = of("level.down.weight");
  down_bias_ = of("level.down.bias");
}

at::Tensor level_features(const at::Tensor& gamma) {
  // gamma is about -15..15: the slowest wave goes around once, the fastest tells 0.1 apart.
  constexpr double kSlowest = 0.1, kFastest = 8;
  constexpr std::int64_t kHalf = spec::kLevelFeatures / 2;
  const at::Tensor steps = at::arange(kHalf, gamma.options()) / static_cast<double>(kHalf - 1);
  const at::Tensor angle = gamma.unsqueeze(1) * (kSlowest * at::pow(kFastest / kSlowest, steps));
  return at::cat({angle.sin(), angle.cos()}, 1);
}

at::Tensor VectorReader::read(const Input& input, const at::Tensor& token_table) const {
  if (!input.vectors.defined() || !input.noise_level.defined())
    throw Error("a network that reads noised vectors got tokens only", "vectors and a noise level");
  const compat::FullPrecision full(token_table.device());
  at::Tensor x = at::linear(input.vectors, input_);
  if (input.guess.defined()) x = x + at::linear(input.guess, guess_);
  x = at::where(input.frozen.unsqueeze(2), rows_at(token_table, input.tokens), x);
  const at::Tensor hidden =
      at::gelu(at::linear(level_features(input.noise_level), up_, up_bias_), "tanh");
  return x + at::linear(hidden, down_, down_bias_).unsqueeze(1);
}

at::Tensor VectorReader::evidence(const Input& input) const {
  return nn::evidence(input.vectors, input.noise_level, unit_rows(tokens_));
}

}  // namespace mgdm::nn
