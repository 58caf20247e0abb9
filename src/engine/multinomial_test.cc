#include "engine/multinomial.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "data/vocabulary.h"
#include "engine/fake_networks.h"
#include "objectives/test_support.h"

namespace mgdm::engine {
namespace {

constexpr int kUniformVocabulary = 10, kUniformLength = 6, kCategories = kUniformVocabulary - 3;
using Ints = std::vector<std::int64_t>;

// Two frozen tokens and four to find.
Batch some_rows(std::int64_t rows) {
  Batch batch{at::full({rows, kUniformLength}, 7, at::kLong),
              at::full({rows, kUniformLength}, false, at::kBool),
              at::arange(50, 50 + rows, at::kLong)};
  batch.frozen.slice(1, 0, 2).fill_(true);
  for (std::int64_t b = 0; b < rows; ++b) batch.tokens[b][0].fill_(5 + b % 5);
  return batch;
}

spec::DecodingSettings with_steps(std::int64_t steps) {
  spec::DecodingSettings settings;
  settings.steps = steps;
  settings.seed = 3;
  return settings;
}

// The categories in the order of their numbers.
const Ints kTokens{data::kPad, data::kEos, 5, 6, 7, 8, 9};

// One row, by the definitions: transition matrices, Bayes' rule, plain loops.
Ints slow(const Network& network, const Batch& one, const spec::DecodingSettings& settings) {
  const auto steps = static_cast<int>(settings.steps);
  const objectives::PlainDiffusion noise(steps, kCategories, [&](int t) {
    const double beta = objectives::linear_beta(t, steps);
    objectives::PlainDiffusion::Matrix q(kCategories,
                                         std::vector<double>(kCategories, beta / kCategories));
    for (std::size_t i = 0; i < q.size(); ++i) q[i][i] += 1 - beta;
    return q;
  });
  const auto stream = [&](int step) {
    return Stream(static_cast<std::uint64_t>(settings.seed), Purpose::kDecode,
                  static_cast<std::uint32_t>(one.items[0].item<std::int64_t>()),
                  static_cast<std::uint32_t>(step));
  };
  Ints tokens;
  std::vector<std::size_t> category(kUniformLength);
  Stream start = stream(steps);
  for (std::size_t n = 0; n < kUniformLength; ++n) {
    category[n] = static_cast<std::size_t>(static_cast<double>(start.uniform()) * kCategories);
    tokens.push_back(n < 2 ? one.tokens[0][static_cast<std::int64_t>(n)].item<std::int64_t>()
                           : kTokens[category[n]]);
  }
  for (int step = 0; step < steps; ++step) {
    const int t = steps - step;  // 1..T, as the plain version counts
    const at::Tensor logits = network(at::tensor(tokens, at::kLong).unsqueeze(0), one.frozen)[0];
    Stream random = stream(step);
    for (std::size_t n = 0; n < kUniformLength; ++n) {
      std::vector<double> f;
      double sum = 0;
      for (const std::int64_t token : kTokens) {
        f.push_back(std::exp(logits[static_cast<std::int64_t>(n)][token].item<double>()));
        sum += f.back();
      }
      for (double& p : f) p /= sum;
      const auto posterior = noise.posterior(static_cast<std::size_t>(t), category[n], f);
      std::size_t best = 0;
      double highest = -INFINITY;
      for (std::size_t k = 0; k < posterior.size(); ++k) {
        const double u = std::max<double>(random.uniform(), 0x1p-25);
        const double score = std::log(posterior[k]) - (t > 1 ? std::log(-std::log(u)) : 0);
        if (score > highest) highest = score, best = k;
      }
      if (n < 2) continue;  // frozen, but with draws of its own
      category[n] = best;
      tokens[n] = kTokens[best];
    }
  }
  return tokens;
}

TEST(Multinomial, EqualsTheSlowObviousWay) {
  const Network network = random_network(4, kUniformVocabulary);
  const Batch batch = some_rows(8);
  for (const std::int64_t steps : {1, 2, 7}) {
    const spec::DecodingSettings settings = with_steps(steps);
    const Result result = decode_multinomial(network, kUniformVocabulary, batch, settings);
    for (std::int64_t b = 0; b < 8; ++b) {
      const Batch one{batch.tokens.slice(0, b, b + 1), batch.frozen.slice(0, b, b + 1),
                      batch.items.slice(0, b, b + 1)};
      EXPECT_TRUE(result.tokens[b].equal(at::tensor(slow(network, one, settings), at::kLong)))
          << steps << " steps, row " << b;
      EXPECT_EQ(result.forward_passes[b].item<std::int64_t>(), steps);
    }
  }
}

TEST(Multinomial, ASureNetworkGetsItsAnswer) {
  const Batch batch = some_rows(5);
  at::Tensor answers = batch.tokens.clone();
  answers.slice(1, 2, 5).fill_(9);
  answers.select(1, 5).fill_(data::kEos);
  const Network oracle = oracle_network(answers, at::full_like(answers, 0), kUniformVocabulary);
  EXPECT_TRUE(at::equal(
      decode_multinomial(oracle, kUniformVocabulary, batch, with_steps(10)).tokens, answers));
}

TEST(Multinomial, NothingToDecodeTakesNoPass) {
  const Batch batch = some_rows(2);
  batch.frozen[1].fill_(true);
  const Result result = decode_multinomial(random_network(4, kUniformVocabulary),
                                           kUniformVocabulary, batch, with_steps(3));
  EXPECT_EQ(result.forward_passes[0].item<std::int64_t>(), 3);
  EXPECT_EQ(result.forward_passes[1].item<std::int64_t>(), 0);
  EXPECT_TRUE(at::equal(result.tokens[1], batch.tokens[1]));
}

TEST(Multinomial, NeverShowsAMaskAndStopsWhenAsked) {
  const Batch batch = some_rows(16);
  int calls = 0;
  const Result result = decode_multinomial(
      random_network(4, kUniformVocabulary), kUniformVocabulary, batch, with_steps(9),
      [&](const Step& step) {
        EXPECT_EQ(step.pass, calls++);
        for (const std::int64_t never : {data::kMask, data::kSep, data::kUnk})
          EXPECT_FALSE((step.tokens == never).any().item<bool>());
        EXPECT_TRUE((step.tokens == batch.tokens).slice(1, 0, 2).all().item<bool>());
        EXPECT_TRUE((step.confidence <= 1).all().item<bool>());
        return step.pass < 3;
      });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(result.forward_passes[0].item<std::int64_t>(), 4);
}

}  // namespace
}  // namespace mgdm::engine
