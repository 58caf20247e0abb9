#include "engine/diffusion.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/random.h"
#include "data/vocabulary.h"
#include "engine/fake_networks.h"

namespace mgdm::engine {
namespace {

constexpr std::int64_t kVocabulary = 12;
using Ints = std::vector<std::int64_t>;

// Random tokens; each position frozen with a probability that differs from row to row.
Batch random_batch(std::uint64_t seed, std::int64_t rows, std::int64_t length) {
  Batch batch{at::zeros({rows, length}, at::kLong), at::zeros({rows, length}, at::kBool),
              at::arange(100, 100 + rows, at::kLong)};
  for (std::int64_t b = 0; b < rows; ++b) {
    Stream random(seed, Purpose::kTest, static_cast<std::uint32_t>(b));
    const float share = random.uniform();
    for (std::int64_t n = 0; n < length; ++n) {
      batch.frozen[b][n] = random.uniform() < share;
      batch.tokens[b][n] = random.between(data::kSpecialTokens, kVocabulary - 1);
    }
  }
  return batch;
}

Ints to_vector(const at::Tensor& row) {
  const at::Tensor values = row.to(at::kLong).contiguous();
  return Ints(values.data_ptr<std::int64_t>(), values.data_ptr<std::int64_t>() + values.numel());
}

Batch rows_of(const Batch& batch, const Ints& rows) {
  const at::Tensor index = at::tensor(rows, at::kLong);
  return {batch.tokens.index_select(0, index), batch.frozen.index_select(0, index),
          batch.items.index_select(0, index)};
}

// TopK and margin for one example, as the protocol tells it, with plain loops.
Ints slow_topk(const Network& network, const Batch& one, const spec::DecodingSettings& settings) {
  Ints tokens = to_vector(one.tokens[0]);
  const Ints frozen = to_vector(one.frozen[0]);
  const std::size_t length = tokens.size();
  const auto diffused = std::count(frozen.begin(), frozen.end(), 0);
  for (std::size_t n = 0; n < length; ++n)
    if (!frozen[n]) tokens[n] = data::kMask;

  for (std::int64_t t = settings.steps - 1; t >= 0; --t) {
    const double rate = static_cast<double>(t) / static_cast<double>(settings.steps);
    const at::Tensor logits = network(at::tensor(tokens, at::kLong).unsqueeze(0), one.frozen)[0];
    Stream random(static_cast<std::uint64_t>(settings.seed), Purpose::kDecode,
                  static_cast<std::uint32_t>(one.items[0].item<std::int64_t>()),
                  static_cast<std::uint32_t>(settings.steps - 1 - t));
    std::vector<double> scores(length);
    Ints before = tokens;
    for (std::size_t n = 0; n < length; ++n) {
      const double noise = -std::log(-std::log(std::max<double>(random.uniform(), 0x1p-25)));
      std::vector<std::pair<double, std::int64_t>> candidates;
      double sum = 0;
      for (std::int64_t v = 0; v < kVocabulary; ++v) {
        if (v == data::kMask || v == data::kSep || v == data::kUnk) continue;
        const double logit = logits[static_cast<std::int64_t>(n)][v].item<float>();
        candidates.emplace_back(logit, v);
        sum += std::exp(logit);
      }
      std::sort(candidates.rbegin(), candidates.rend());
      const double p1 = std::exp(candidates[0].first) / sum;
      const double p2 = std::exp(candidates[1].first) / sum;
      scores[n] =
          (settings.order == "topk" ? std::log(p1) : p1 - p2) + settings.noise * rate * noise;
      if (frozen[n]) continue;
      if (settings.revise == "on" || before[n] == data::kMask) tokens[n] = candidates[0].second;
    }
    // The lowest scores become [MASK].
    std::vector<std::size_t> eligible;
    for (std::size_t n = 0; n < length; ++n)
      if (!frozen[n] && (settings.revise != "off" || before[n] == data::kMask))
        eligible.push_back(n);
    std::stable_sort(eligible.begin(), eligible.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
    const double cosine = std::cos(std::numbers::pi / 2 * static_cast<double>(settings.steps - t) /
                                   static_cast<double>(settings.steps));
    const std::int64_t count =
        settings.schedule == "linear"
            ? diffused * t / settings.steps
            : static_cast<std::int64_t>(std::floor(static_cast<double>(diffused) * cosine));
    for (std::int64_t i = 0; i < count; ++i)
      tokens[eligible[static_cast<std::size_t>(i)]] = data::kMask;
  }
  return tokens;
}

TEST(Diffusion, TopKEqualsTheSlowObviousWay) {
  std::uint64_t seed = 0;
  for (const char* order : {"topk", "margin"})
    for (const char* revise : {"on", "remask", "off"})
      for (const char* schedule : {"linear", "cosine"})
        for (const double noise : {0.0, 0.5})
          for (const std::int64_t steps : {1, 4, 20}) {
            SCOPED_TRACE(fmt::format("{} {} {} {} {}", order, revise, schedule, noise, steps));
            spec::DecodingSettings settings;
            settings.order = order;
            settings.revise = revise;
            settings.schedule = schedule;
            settings.noise = noise;
            settings.steps = steps;
            settings.seed = static_cast<std::int64_t>(++seed << 30);  // both words of the key
            const Network network = random_network(seed, kVocabulary);
            const Batch batch = random_batch(seed, 6, 17);
            const Result result = decode(network, batch, settings);
            for (std::int64_t b = 0; b < 6; ++b)
              EXPECT_EQ(to_vector(result.tokens[b]),
                        slow_topk(network, rows_of(batch, {b}), settings));
          }
}

TEST(Diffusion, TopKMasksFewerPositionsEachStep) {
  spec::DecodingSettings settings;
  settings.steps = 7;
  const Batch batch = random_batch(3, 6, 30);
  const Ints length = to_vector((~batch.frozen).sum(1));
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    int calls = 0;
    const auto on_step = [&](const Step& step) {
      EXPECT_EQ(step.pass, calls++);
      const Ints masked = to_vector((step.tokens == data::kMask).sum(1));
      for (std::size_t b = 0; b < masked.size(); ++b)
        EXPECT_EQ(masked[b], length[b] * (6 - step.pass) / 7);
      EXPECT_TRUE(((step.confidence > 0) & (step.confidence <= 1)).all().item<bool>());
      return true;
    };
    decode(random_network(3, kVocabulary), batch, settings, on_step);
    EXPECT_EQ(calls, 7);
  }
}

spec::DecodingSettings with_order(const std::string& order) {
  spec::DecodingSettings settings;
  settings.order = order;
  settings.steps = 6;
  return settings;
}

// Runs the same body for every order.
template <class Body>
void for_each_order(Body&& body) {
  for (const char* order : {"topk", "margin", "random", "threshold", "entropy"}) {
    SCOPED_TRACE(order);
    body(with_order(order));
  }
}

TEST(Diffusion, FillsInEverythingAndLeavesFrozenTokens) {
  for_each_order([](spec::DecodingSettings settings) {
    const Batch batch = random_batch(4, 8, 20);
    for (const char* revise : {"on", "remask", "off", "auto"})
      for (const double temperature : {0.0, 0.7}) {
        settings.revise = revise;
        settings.temperature = temperature;
        const at::Tensor tokens = decode(random_network(4, kVocabulary), batch, settings).tokens;
        EXPECT_TRUE(((tokens == batch.tokens) | ~batch.frozen).all().item<bool>());
        for (const std::int64_t never : {data::kMask, data::kSep, data::kUnk})
          EXPECT_FALSE((tokens == never).any().item<bool>());
      }
  });
}

TEST(Diffusion, DoesNotDependOnTheBatch) {
  for_each_order([](spec::DecodingSettings settings) {
    settings.revise = "on";
    settings.steps = 20;
    settings.threshold = 0.3;
    const Batch batch = random_batch(5, 6, 20);
    for (const double temperature : {0.0, 2.0}) {
      settings.temperature = temperature;
      const Network network = random_network(5, kVocabulary);
      const Result whole = decode(network, batch, settings);
      for (const Ints& rows : {Ints{0}, Ints{1, 3}, Ints{2, 0}, Ints{5, 4, 3, 2, 1, 0}}) {
        const Result part = decode(network, rows_of(batch, rows), settings);
        const at::Tensor index = at::tensor(rows, at::kLong);
        EXPECT_TRUE(at::equal(part.tokens, whole.tokens.index_select(0, index)));
        EXPECT_TRUE(at::equal(part.forward_passes, whole.forward_passes.index_select(0, index)));
      }
    }
  });
}

TEST(Diffusion, WithoutRevisionShownTokensStay) {
  for_each_order([](spec::DecodingSettings settings) {
    settings.revise = "off";
    const Batch batch = random_batch(6, 8, 20);
    at::Tensor before = all_masked(batch);
    decode(random_network(6, kVocabulary), batch, settings, [&](const Step& step) {
      EXPECT_TRUE(((step.tokens == before) | (before == data::kMask)).all().item<bool>());
      before = step.tokens;
      return true;
    });
  });
}

TEST(Diffusion, WhatIsNotFrozenIsIgnored) {
  for_each_order([](spec::DecodingSettings settings) {
    const Batch batch = random_batch(7, 4, 20);
    const Batch other{batch.tokens.masked_fill(~batch.frozen, 9), batch.frozen, batch.items};
    const Network network = random_network(7, kVocabulary);
    EXPECT_TRUE(at::equal(decode(network, batch, settings).tokens,
                          decode(network, other, settings).tokens));
  });
}

TEST(Diffusion, AnObserverCanStop) {
  for_each_order([](spec::DecodingSettings settings) {
    const Batch batch = random_batch(8, 4, 20);
    int calls = 0;
    const Result result = decode(random_network(8, kVocabulary), batch, settings,
                                 [&](const Step& step) { return ++calls, step.pass < 1; });
    EXPECT_EQ(calls, 2);
    EXPECT_LE(result.forward_passes.max().item<std::int64_t>(), 2);
  });
}

TEST(Diffusion, OneStepIsOnePass) {
  for_each_order([](spec::DecodingSettings settings) {
    settings.steps = 1;
    const Batch batch = random_batch(9, 4, 20);
    const Network network = random_network(9, kVocabulary);
    const Result result = decode(network, batch, settings);
    const at::Tensor prediction =
        answer_log_probs(network(all_masked(batch), batch.frozen)).argmax(-1);
    EXPECT_TRUE(((result.tokens == prediction) | batch.frozen).all().item<bool>());
    EXPECT_EQ(result.forward_passes.max().item<std::int64_t>(), 1);
  });
}

TEST(Diffusion, NothingToDecodeTakesNoPass) {
  for_each_order([](spec::DecodingSettings settings) {
    Batch batch = random_batch(10, 3, 8);
    batch.frozen[1].fill_(true);
    const Result result = decode(random_network(10, kVocabulary), batch, settings);
    EXPECT_TRUE(at::equal(result.tokens[1], batch.tokens[1]));
    EXPECT_EQ(result.forward_passes[1].item<std::int64_t>(), 0);
  });
}

TEST(Diffusion, RandomOrderShowsAnEqualShareEachStep) {
  spec::DecodingSettings settings = with_order("random");
  settings.steps = 5;
  Batch batch = random_batch(11, 40, 100);
  batch.frozen.fill_(false);
  std::vector<double> masked;
  decode(random_network(11, kVocabulary), batch, settings, [&](const Step& step) {
    masked.push_back((step.tokens == data::kMask).to(at::kDouble).mean().item<double>());
    return true;
  });
  // 4000 positions: the share has a standard deviation of at most 0.008.
  ASSERT_EQ(masked.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(masked[i], 0.8 - 0.2 * double(i), 0.04);
  EXPECT_EQ(masked[4], 0);
}

TEST(Diffusion, TemperatureSamplesFromTheSoftmax) {
  spec::DecodingSettings settings;
  settings.steps = 1;
  Batch batch = random_batch(12, 100, 100);
  batch.frozen.fill_(false);
  // Of the allowed tokens two are likely, with odds e^2 at temperature 1.
  at::Tensor logits = at::zeros({100, 100, kVocabulary}, at::kFloat) - 1000;
  logits.select(-1, 6).fill_(3);
  logits.select(-1, 7).fill_(1);
  for (const double temperature : {0.0, 1e-300, 0.5, 1.0, 2.0}) {
    settings.temperature = temperature;
    const at::Tensor tokens = decode(replay_network({logits}), batch, settings).tokens;
    const double share = (tokens == 6).to(at::kDouble).mean().item<double>();
    const double expected = temperature < 0.1 ? 1 : 1 / (1 + std::exp(-2 / temperature));
    EXPECT_NEAR(share, expected, 0.02);  // 10,000 draws: standard deviation at most 0.005
    EXPECT_TRUE(((tokens == 6) | (tokens == 7)).all().item<bool>());
  }
}

// Every position is free; position n of row k has difficulty (n / group) * group.
struct Staircase {
  Staircase(std::int64_t rows, std::int64_t length, std::int64_t group)
      : batch(random_batch(13, rows, length)) {
    batch.frozen.fill_(false);
    batch.frozen.select(1, 0).fill_(true);
    batch.tokens.select(1, 0).copy_(at::arange(rows, at::kLong) + data::kSpecialTokens);
    at::Tensor difficulty = at::zeros({rows, length}, at::kLong);
    for (std::int64_t n = 1; n < length; ++n)
      difficulty.select(1, n).fill_((n - 1) / group * group);
    network = oracle_network(batch.tokens, difficulty, kVocabulary);
  }
  bool solved(const Result& result) const { return at::equal(result.tokens, batch.tokens); }

  Batch batch;
  Network network;
};

TEST(Diffusion, SureOrdersTakeAPassPerGroup) {
  const Staircase puzzle(3, 13, 3);  // 12 positions in 4 groups
  for (const char* order : {"threshold", "entropy"}) {
    const Result result = decode(puzzle.network, puzzle.batch, with_order(order));
    EXPECT_TRUE(puzzle.solved(result)) << order;
    EXPECT_EQ(to_vector(result.forward_passes), (Ints{4, 4, 4})) << order;
  }
}

TEST(Diffusion, SureOrdersShowAtLeastOnePositionPerPass) {
  Batch batch = random_batch(14, 3, 12);
  batch.frozen.fill_(false);
  spec::DecodingSettings settings;
  settings.threshold = 1;
  settings.entropy_bound = 0;
  for (const char* order : {"threshold", "entropy"}) {
    settings.order = order;
    settings.steps = 20;
    const Result all = decode(random_network(14, kVocabulary), batch, settings);
    EXPECT_EQ(to_vector(all.forward_passes), (Ints{12, 12, 12}));
    settings.steps = 5;  // the last pass shows the rest
    const Result few = decode(random_network(14, kVocabulary), batch, settings);
    EXPECT_EQ(to_vector(few.forward_passes), (Ints{5, 5, 5}));
    EXPECT_FALSE((few.tokens == data::kMask).any().item<bool>());
  }
}

TEST(Diffusion, EasyFirstSolvesWhatRandomOrderDoesNot) {
  const Staircase puzzle(3, 13, 1);
  spec::DecodingSettings settings = with_order("topk");
  settings.steps = 12;
  settings.noise = 0;
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    EXPECT_TRUE(puzzle.solved(decode(puzzle.network, puzzle.batch, settings))) << revise;
  }
  settings.order = "random";
  EXPECT_FALSE(puzzle.solved(decode(puzzle.network, puzzle.batch, settings)));
}

TEST(Diffusion, EarlyStopGivesTheSameAnswerInFewerPasses) {
  const Staircase puzzle(3, 13, 4);  // solved once 8 of 12 positions are shown
  spec::DecodingSettings settings;
  settings.steps = 12;
  settings.noise = 0;
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    settings.early_stop = false;
    const Result patient = decode(puzzle.network, puzzle.batch, settings);
    settings.early_stop = true;
    const Result early = decode(puzzle.network, puzzle.batch, settings);
    EXPECT_TRUE(puzzle.solved(early)) << revise;
    EXPECT_TRUE(at::equal(early.tokens, patient.tokens)) << revise;
    EXPECT_EQ(to_vector(patient.forward_passes), (Ints{12, 12, 12})) << revise;
    // Pass 9 is the first to know everything, pass 10 agrees.
    EXPECT_EQ(to_vector(early.forward_passes), (Ints{10, 10, 10})) << revise;
  }
}

TEST(Diffusion, EarlyStopWaitsWhileAnythingIsUnsure) {
  spec::DecodingSettings settings;
  settings.steps = 8;
  settings.revise = "on";
  settings.early_stop = true;
  Batch batch = random_batch(15, 2, 6);
  batch.frozen.fill_(false);
  at::Tensor logits = at::zeros({2, 6, kVocabulary}, at::kFloat);
  logits.select(-1, 7).fill_(9);
  logits[1][3][7] = 1;  // never changes, but is a guess
  // Row 0 leaves after two passes; the network is then asked about row 1 alone.
  const Network network = [&](const at::Tensor& tokens, const at::Tensor&) {
    return tokens.size(0) == 2 ? logits : logits.slice(0, 1, 2);
  };
  const auto on_step = [](const Step& step) {
    EXPECT_GT(step.confidence[0].min().item<float>(), 0.99f);  // stays when the row is finished
    return true;
  };
  const Result result = decode(network, batch, settings, on_step);
  EXPECT_EQ(to_vector(result.forward_passes), (Ints{2, 8}));
  EXPECT_TRUE((result.tokens == 7).all().item<bool>());
}

TEST(Diffusion, CommittingEndsWhenAllIsShown) {
  Batch batch = random_batch(16, 2, 6);
  batch.frozen.fill_(true);
  batch.frozen[0][2] = false;  // L = 1: floor(19/20) = 0 positions stay masked
  spec::DecodingSettings settings;
  settings.revise = "off";
  const Result result = decode(random_network(16, kVocabulary), batch, settings);
  EXPECT_EQ(to_vector(result.forward_passes), (Ints{1, 0}));
}

// Three positions are equally sure: with floor(4 t/4) = 3, 2, 1 positions to mask, the cut-off is a
// tie in every pass, and what ties is shown.
TEST(Diffusion, TiesAreShownTogether) {
  spec::DecodingSettings settings;
  settings.steps = 4;
  settings.noise = 0;
  settings.revise = "on";
  const Batch batch{at::zeros({1, 4}, at::kLong), at::zeros({1, 4}, at::kBool),
                    at::zeros({1}, at::kLong)};
  at::Tensor logits = at::zeros({1, 4, kVocabulary}, at::kFloat);
  logits.select(-1, 7).fill_(3);
  logits[0][2][7] = 1;
  for (const char* order : {"topk", "margin"}) {
    settings.order = order;
    std::vector<Ints> seen;
    decode(replay_network({logits}), batch, settings, [&](const Step& step) {
      seen.push_back(to_vector(step.tokens[0]));
      return true;
    });
    const Ints one_masked{7, 7, data::kMask, 7};
    EXPECT_EQ(seen, (std::vector<Ints>{one_masked, one_masked, one_masked, {7, 7, 7, 7}})) << order;
  }
}

TEST(Diffusion, NoBatchIsTooSmall) {
  const Result result = decode(random_network(1, kVocabulary), random_batch(1, 0, 6), {});
  EXPECT_EQ(result.tokens.sizes(), (at::IntArrayRef{0, 6}));
}

TEST(Diffusion, AnUnknownOrderIsAMistake) {
  spec::DecodingSettings settings;
  settings.order = "best";
  EXPECT_THROW(decode(random_network(1, kVocabulary), random_batch(1, 1, 4), settings), UsageError);
}

}  // namespace
}  // namespace mgdm::engine
