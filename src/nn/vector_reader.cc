#include "nn/vector_reader.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/where.h>

#include "base/error.h"
#include "compat/device.h"
#include "nn/noised_vectors.h"

namespace mgdm::nn {

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
  // Of gamma in about -15..15 the slowest goes once around, the fastest tells 0.1 apart.
  constexpr double kSlowest = 0.1, kFastest = 8;
  constexpr std::int64_t kHalf = spec::kLevelFeatures / 2;
  const at::Tensor steps = at::arange(kHalf, gamma.options()) / static_cast<double>(kHalf - 1);
  const at::Tensor angle = gamma.unsqueeze(1) * (kSlowest * at::pow(kFastest / kSlowest, steps));
  return at::cat({angle.sin(), angle.cos()}, 1);
}

at::Tensor VectorReader::read(const Input& input, const at::Tensor& token_table) const {
  if (!input.vectors.defined() || !input.noise_level.defined())
    throw Error("a network that reads noised vectors was shown tokens alone",
                "vectors and a noise level");
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
