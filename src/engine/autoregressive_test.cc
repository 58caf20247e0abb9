#include "engine/autoregressive.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "data/vocabulary.h"
#include "engine/diffusion.h"
#include "engine/network.h"

namespace mgdm::engine {
namespace {

std::unique_ptr<nn::Model> small_model(bool causal = true, const char* architecture = "gpt2") {
  spec::ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = 32;
  settings.vocabulary = 9;
  settings.causal = causal;
  std::unique_ptr<nn::Model> model = nn::make_model(settings, 3);
  // Larger weights than a fresh model's, so that predictions differ from place to place.
  const at::NoGradGuard no_grad;
  std::uint64_t seed = 0;
  for (const nn::Parameter& parameter : model->parameters().all())
    if (parameter.value.dim() == 2) {
      at::Generator generator = at::detail::createCPUGenerator(++seed);
      parameter.value.normal_(0, 0.4, generator);
    }
  return model;
}

// Row b has 2 + b frozen tokens and then 20 - 2 - b to predict.
Batch prefixes(std::int64_t rows) {
  Batch batch{at::zeros({rows, 20}, at::kLong), at::zeros({rows, 20}, at::kBool),
              at::arange(rows, at::kLong)};
  for (std::int64_t b = 0; b < rows; ++b) {
    Stream random(5, Purpose::kTest, static_cast<std::uint32_t>(b));
    for (std::int64_t n = 0; n < 20; ++n) batch.tokens[b][n] = random.between(5, 8);
    batch.frozen[b].slice(0, 0, 2 + b).fill_(true);
  }
  return batch;
}

class Cached : public testing::TestWithParam<const char*> {};

TEST_P(Cached, EqualsDecodingWithoutTheCache) {
  const auto model = small_model(/*causal=*/true, GetParam());
  const Batch batch = prefixes(9);
  std::vector<at::Tensor> confidences[2];
  Result results[2];
  for (const bool cached : {false, true})
    results[cached] = decode_autoregressive(
        *model, batch,
        [&](const Step& step) {
          confidences[cached].push_back(step.confidence);
          return true;
        },
        /*bf16=*/false, cached);
  EXPECT_TRUE(at::equal(results[0].tokens, results[1].tokens));
  EXPECT_TRUE(at::equal(results[0].forward_passes, results[1].forward_passes));
  ASSERT_EQ(confidences[0].size(), confidences[1].size());
  for (std::size_t i = 0; i < confidences[0].size(); ++i)
    EXPECT_TRUE(at::allclose(confidences[0][i], confidences[1][i], 0, 1e-4));
}

INSTANTIATE_TEST_SUITE_P(Autoregressive, Cached, testing::Values("gpt2", "looped"));

TEST(Autoregressive, EveryTokenIsTheLikeliestGivenThoseBefore) {
  const auto model = small_model();
  const Batch batch = prefixes(9);
  const Result result = decode_autoregressive(*model, batch);
  const at::Tensor likeliest =
      answer_log_probs(network_of(*model)(result.tokens, batch.frozen)).argmax(-1);
  for (std::int64_t b = 0; b < 9; ++b) {
    std::int64_t predicted = 0;
    bool ended = false;
    for (std::int64_t n = 0; n < 20; ++n) {
      const auto token = result.tokens[b][n].item<std::int64_t>();
      if (n < 2 + b) {
        EXPECT_EQ(token, batch.tokens[b][n].item<std::int64_t>());
      } else if (ended) {
        EXPECT_EQ(token, data::kPad);
      } else {
        EXPECT_EQ(token, likeliest[b][n].item<std::int64_t>()) << b << "," << n;
        ++predicted;
        ended = token == data::kEos;
      }
    }
    EXPECT_EQ(result.forward_passes[b].item<std::int64_t>(), predicted);
  }
}

TEST(Autoregressive, DoesNotDependOnTheBatch) {
  const auto model = small_model();
  const Batch batch = prefixes(9);
  const at::Tensor together = decode_autoregressive(*model, batch).tokens;
  for (std::int64_t b = 0; b < 9; ++b) {
    const Batch alone{batch.tokens.slice(0, b, b + 1), batch.frozen.slice(0, b, b + 1),
                      batch.items.slice(0, b, b + 1)};
    EXPECT_TRUE(at::equal(decode_autoregressive(*model, alone).tokens[0], together[b]));
  }
}

TEST(Autoregressive, StopsWhenEveryExampleHasEnded) {
  const auto model = small_model();
  {
    // The head is tied to the token embedding: a final bias along [EOS]'s makes it the likeliest.
    const at::NoGradGuard no_grad;
    const auto& all = model->parameters().all();
    all.back().value.copy_(all.front().value[data::kEos] * 100);
  }
  const Batch batch = prefixes(3);
  int calls = 0;
  const Result result = decode_autoregressive(*model, batch, [&](const Step&) {
    ++calls;
    return true;
  });
  EXPECT_EQ(calls, 3);  // positions 2, 3 and 4, where the three examples end
  for (std::int64_t b = 0; b < 3; ++b) {
    EXPECT_EQ(result.tokens[b][2 + b].item<std::int64_t>(), data::kEos);
    EXPECT_TRUE((result.tokens[b].slice(0, 3 + b) == data::kPad).all().item<bool>());
    EXPECT_EQ(result.forward_passes[b].item<std::int64_t>(), 1);
  }
}

TEST(Autoregressive, NeedsACausalModelAndAnInput) {
  EXPECT_THROW(decode_autoregressive(*small_model(/*causal=*/false), prefixes(1)), Error);
  Batch batch = prefixes(1);
  batch.frozen.fill_(false);
  EXPECT_THROW(decode_autoregressive(*small_model(), batch), Error);
}

TEST(Network, OfAModelDecodes) {
  const auto model = small_model(/*causal=*/false);
  const Batch batch = prefixes(4);
  const Result result = decode(network_of(*model), batch, spec::DecodingSettings{}.resolved(true));
  EXPECT_FALSE(result.tokens.requires_grad());
  EXPECT_TRUE(((result.tokens == batch.tokens) | ~batch.frozen).all().item<bool>());
}

}  // namespace
}  // namespace mgdm::engine
