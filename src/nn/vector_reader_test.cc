#include "nn/vector_reader.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/random.h"

namespace mgdm::nn {
namespace {

constexpr std::int64_t kVectorRows = 2, kVectorLength = 4, kVectorSize = 3;

ModelSettings reading_vectors() {
  ModelSettings settings;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 8;
  settings.positions = kVectorLength;
  settings.vocabulary = 9;
  settings.vectors = kVectorSize;
  settings.shift = false;
  return settings;
}

at::Tensor between(at::IntArrayRef shape, std::uint32_t item) {
  at::Tensor numbers = at::zeros(shape, at::kFloat);
  Stream random(6, Purpose::kTest, item);
  for (std::int64_t i = 0; i < numbers.numel(); ++i)
    numbers.data_ptr<float>()[i] = 2 * random.uniform() - 1;
  return numbers;
}

// No tensor at zero, which would hide what stands before it.
std::unique_ptr<Model> restless(const ModelSettings& settings) {
  auto model = make_model(settings, 5);
  const at::NoGradGuard no_grad;
  std::uint32_t item = 0;
  for (const Parameter& parameter : model->parameters().all()) {
    at::Tensor value = parameter.value;
    value.add_(between(value.sizes(), ++item), 0.3);
  }
  return model;
}

Input noised_input() {
  Input input;
  input.tokens = at::tensor({5, 6, 2, 2, 8, 7, 5, 2}, at::kLong).view({kVectorRows, kVectorLength});
  input.frozen = input.tokens != 2;
  input.vectors = between({kVectorRows, kVectorLength, kVectorSize}, 100);
  input.noise_level = at::tensor({-1.5f, 2.25f});
  return input;
}

TEST(NoisedVectors, KeepTheirLength) {
  const at::Tensor gamma = at::tensor({-3.0, 0.0, 6.0}, at::kDouble);
  EXPECT_TRUE(at::allclose(signal(gamma).square() + noise(gamma).square(),
                           at::full({3}, 1.0, at::kDouble), 0, 1e-12));
  // gamma is the logarithm of noise to signal.
  EXPECT_TRUE(at::allclose((noise(gamma) / signal(gamma)).square().log(), gamma, 0, 1e-9));
  EXPECT_TRUE(at::allclose(unit_rows(between({4, 5}, 1)).norm(2, 1), at::full({4}, 1.f), 0, 1e-6));
  EXPECT_TRUE(at::isfinite(unit_rows(at::zeros({2, 3}))).all().item<bool>());
}

// Bayes' rule by its definition: the density of z around alpha times each token's vector.
TEST(NoisedVectors, EvidenceIsThatOfTheNormalDensity) {
  const at::Tensor rows = unit_rows(between({6, kVectorSize}, 2).to(at::kDouble));
  const at::Tensor z = between({2, 3, kVectorSize}, 3).to(at::kDouble);
  const at::Tensor gamma = at::tensor({-2.0, 1.0}, at::kDouble);
  const at::Tensor got = evidence(z, gamma, rows);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t n = 0; n < 3; ++n) {
      const auto log_density = [&](std::int64_t v) {
        const at::Tensor off = z[b][n] - signal(gamma[b]) * rows[v];
        return -off.square().sum().item<double>() / (2 * noise(gamma[b]).square().item<double>());
      };
      for (std::int64_t v = 1; v < 6; ++v)
        EXPECT_NEAR((got[b][n][v] - got[b][n][0]).item<double>(), log_density(v) - log_density(0),
                    1e-9);
    }
}

TEST(VectorReader, ReadsGivenTokensVectorsAndTheNoiseLevel) {
  const auto model = restless(reading_vectors());
  const at::NoGradGuard no_grad;
  const auto weight = [&](const std::string& name) { return model->parameters().at(name); };
  const VectorReader reader(model->parameters());
  const Input input = noised_input();
  Input with_guess = input;
  with_guess.guess = between({kVectorRows, kVectorLength, kVectorSize}, 101);
  const at::Tensor words = weight("transformer.wte.weight");
  const at::Tensor read = reader.read(input, words), also = reader.read(with_guess, words);
  for (std::int64_t b = 0; b < kVectorRows; ++b) {
    const at::Tensor features = level_features(input.noise_level)[b];
    const at::Tensor up = weight("transformer.vdm.level.up.weight").mv(features) +
                          weight("transformer.vdm.level.up.bias");
    const at::Tensor inner =
        0.5 * up * (1 + (std::sqrt(2 / std::numbers::pi) * (up + 0.044715 * up * up * up)).tanh());
    const at::Tensor level = weight("transformer.vdm.level.down.weight").mv(inner) +
                             weight("transformer.vdm.level.down.bias");
    for (std::int64_t n = 0; n < kVectorLength; ++n) {
      const bool given = input.frozen[b][n].item<bool>();
      const at::Tensor word = words[input.tokens[b][n].item<std::int64_t>()];
      const at::Tensor vector = weight("transformer.vdm.input").mv(input.vectors[b][n]);
      const at::Tensor guess = weight("transformer.vdm.guess").mv(with_guess.guess[b][n]);
      EXPECT_TRUE(at::allclose(read[b][n], level + (given ? word : vector), 0, 1e-5)) << b << n;
      EXPECT_TRUE(at::allclose(also[b][n], level + (given ? word : vector + guess), 0, 1e-5));
    }
  }
  // The levels that a schedule has can be told apart.
  const at::Tensor near = level_features(at::tensor({1.f, 1.1f}));
  EXPECT_GT((near[0] - near[1]).norm().item<double>(), 0.3);
}

// Beyond how it reads, such a network is the GPT-2 that it was.
TEST(VectorReader, MakesAGpt2OfVectors) {
  ModelSettings plain = reading_vectors();
  plain.vectors = 0;
  for (const bool shift : {false, true}) {
    ModelSettings settings = reading_vectors();
    settings.shift = plain.shift = shift;
    const auto model = restless(settings), other = make_model(plain, 5);
    const at::NoGradGuard no_grad;
    for (const Parameter& parameter : other->parameters().all()) {
      at::Tensor value = parameter.value;
      value.copy_(model->parameters().at(parameter.name));
    }
    const Input input = noised_input();
    const VectorReader reader(model->parameters());
    const at::Tensor read = reader.read(input, model->parameters().at("transformer.wte.weight"));
    const at::Tensor expected =
        other->forward({.frozen = input.frozen, .vectors = read}).last().logits() +
        reader.evidence(input);
    EXPECT_TRUE(at::equal(model->forward(input).last().logits(), expected));
    // What stands behind a given token, or in the place of a hidden one, changes nothing.
    Input changed = input;
    changed.vectors = at::where(input.frozen.unsqueeze(2), input.vectors + 1, input.vectors);
    changed.tokens = input.tokens.masked_fill(input.frozen.logical_not(), 7);
    const at::Tensor free = input.frozen.logical_not().unsqueeze(2);
    EXPECT_TRUE(at::equal(model->forward(changed).last().logits().masked_select(free),
                          expected.masked_select(free)));
    Input other_level = input;
    other_level.noise_level = input.noise_level + 1;
    EXPECT_FALSE(at::equal(model->forward(other_level).last().logits(), expected));
    EXPECT_THROW(model->forward({input.tokens, input.frozen}), Error);
  }
}

}  // namespace
}  // namespace mgdm::nn
