#include "decoding/diffusion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "decoding/network.h"
#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

// TopK and margin for one puzzle, as the protocol tells it, with plain loops in double.
Tokens slow_topk(Network& network, const Puzzle& puzzle) {
  const DecodingSettings& settings = puzzle.settings;
  Tokens tokens = puzzle.tokens;
  const std::size_t length = tokens.size();
  const auto diffused = static_cast<std::int64_t>(diffused_count(puzzle));
  for (std::size_t n = 0; n < length; ++n)
    if (!puzzle.frozen[n]) tokens[n] = data::kMask;

  std::vector<float> logits(length * kTestVocabulary);
  for (std::int64_t t = settings.steps - 1; t >= 0; --t) {
    const double rate = static_cast<double>(t) / static_cast<double>(settings.steps);
    network.logits({1, length, tokens, puzzle.frozen}, 0, logits);
    Stream random(static_cast<std::uint64_t>(settings.seed), Purpose::kDecode, puzzle.item,
                  static_cast<std::uint32_t>(settings.steps - 1 - t));
    std::vector<double> scores(length);
    const Tokens before = tokens;
    for (std::size_t n = 0; n < length; ++n) {
      const double noise = -std::log(-std::log(std::max<double>(random.uniform(), 0x1p-25)));
      std::vector<std::pair<double, std::size_t>> candidates;
      double sum = 0;
      for (std::size_t v = 0; v < kTestVocabulary; ++v) {
        if (v == data::kMask || v == data::kSep || v == data::kUnk) continue;
        candidates.emplace_back(logits[n * kTestVocabulary + v], v);
        sum += std::exp(candidates.back().first);
      }
      std::sort(candidates.rbegin(), candidates.rend());
      const double p1 = std::exp(candidates[0].first) / sum;
      const double p2 = std::exp(candidates[1].first) / sum;
      scores[n] =
          (settings.order == "topk" ? std::log(p1) : p1 - p2) + settings.noise * rate * noise;
      if (puzzle.frozen[n]) continue;
      if (settings.revise == "on" || before[n] == data::kMask)
        tokens[n] = static_cast<data::Token>(candidates[0].second);
    }
    // The lowest scores become [MASK].
    std::vector<std::size_t> eligible;
    for (std::size_t n = 0; n < length; ++n)
      if (!puzzle.frozen[n] && (settings.revise != "off" || before[n] == data::kMask))
        eligible.push_back(n);
    std::sort(eligible.begin(), eligible.end(),
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
            DecodingSettings settings = with_order(order, steps);
            settings.revise = revise;
            settings.schedule = schedule;
            settings.noise = noise;
            settings.seed = static_cast<std::int64_t>(++seed << 30);  // both words of the key
            FunctionNetwork network = random_network(seed, kTestVocabulary);
            const auto puzzles = random_puzzles(seed, 6, 17, settings);
            const std::vector<TryResult> all = decode_all(network, puzzles);
            for (std::size_t b = 0; b < puzzles.size(); ++b)
              EXPECT_EQ(all[b].tokens, slow_topk(network, puzzles[b]));
          }
}

TEST(Diffusion, TopKMasksFewerPositionsEachStep) {
  DecodingSettings settings = with_order("topk", 7);
  FunctionNetwork network = random_network(3, kTestVocabulary);
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    const auto puzzles = random_puzzles(3, 6, 30, settings);
    std::int64_t calls = 0;
    decode_all(network, puzzles, [&](std::size_t row, const Step& step) {
      const std::size_t length = diffused_count(puzzles[row]);
      EXPECT_EQ(count_of(data::kMask, step.tokens),
                length * static_cast<std::size_t>(6 - step.pass) / 7);
      for (const float confidence : step.confidence) {
        EXPECT_GT(confidence, 0);
        EXPECT_LE(confidence, 1);
      }
      ++calls;
      return true;
    });
    // Without revision the shortest answers are complete before the last pass.
    EXPECT_EQ(calls, revise == std::string("off") ? 39 : 6 * 7);
  }
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
  for_each_order([](DecodingSettings settings) {
    FunctionNetwork network = random_network(4, kTestVocabulary);
    for (const char* revise : {"on", "remask", "off", "auto"})
      for (const double temperature : {0.0, 0.7, 1.0}) {
        settings.revise = revise;
        settings.temperature = temperature;
        const auto puzzles = random_puzzles(4, 8, 20, settings);
        for (const TryResult& finished : decode_all(network, puzzles)) {
          const Puzzle& puzzle = puzzles[finished.slot];
          for (std::size_t n = 0; n < 20; ++n)
            if (puzzle.frozen[n])
              EXPECT_EQ(finished.tokens[n], puzzle.tokens[n]);
            else
              EXPECT_TRUE(is_answer(finished.tokens[n]));
        }
      }
  });
}

TEST(Diffusion, WithoutRevisionShownTokensStay) {
  for_each_order([](DecodingSettings settings) {
    settings.revise = "off";
    FunctionNetwork network = random_network(6, kTestVocabulary);
    std::vector<Tokens> before(8, Tokens(20, data::kMask));
    decode_all(network, random_puzzles(6, 8, 20, settings), [&](std::size_t row, const Step& step) {
      for (std::size_t n = 0; n < 20; ++n) {
        const data::Token shown = before[row][n];
        EXPECT_TRUE(shown == data::kMask || shown == step.tokens[n]);
      }
      before[row].assign(step.tokens.begin(), step.tokens.end());
      return true;
    });
  });
}

TEST(Diffusion, WhatIsNotFrozenIsIgnored) {
  for_each_order([](const DecodingSettings& settings) {
    FunctionNetwork network = random_network(7, kTestVocabulary);
    const Puzzle puzzle = random_puzzle(7, 0, 20, settings);
    Puzzle other = puzzle;
    for (std::size_t n = 0; n < 20; ++n)
      if (!puzzle.frozen[n]) other.tokens[n] = 255;  // not even a token
    const std::vector<TryResult> all = decode_all(network, {puzzle, other});
    EXPECT_EQ(all[0].tokens, all[1].tokens);
  });
}

TEST(Diffusion, OneStepIsOnePass) {
  for_each_order([](DecodingSettings settings) {
    settings.steps = 1;
    FunctionNetwork network = random_network(9, kTestVocabulary);
    const Puzzle puzzle = random_puzzle(9, 1, 20, settings);
    Tokens expected = puzzle.tokens;
    for (std::size_t n = 0; n < 20; ++n)
      if (!puzzle.frozen[n]) expected[n] = data::kMask;
    std::vector<float> logits(20 * kTestVocabulary);
    network.logits({1, 20, expected, puzzle.frozen}, 0, logits);
    for (std::size_t n = 0; n < 20; ++n) {
      const auto at_n = std::span(logits).subspan(n * kTestVocabulary, kTestVocabulary);
      answer_log_probs(at_n);
      if (!puzzle.frozen[n]) expected[n] = static_cast<data::Token>(likeliest(at_n));
    }
    const TryResult finished = decode_all(network, {puzzle})[0];
    EXPECT_EQ(finished.tokens, expected);
    EXPECT_EQ(finished.passes, 1);
  });
}

TEST(Diffusion, RandomOrderShowsAnEqualShareEachStep) {
  auto puzzles = random_puzzles(11, 40, 100, with_order("random", 5));
  freeze(puzzles, false);
  FunctionNetwork network = random_network(11, kTestVocabulary);
  std::vector<double> masked(5);
  decode_all(network, puzzles, [&](std::size_t, const Step& step) {
    masked[static_cast<std::size_t>(step.pass)] +=
        static_cast<double>(count_of(data::kMask, step.tokens)) / 4000;
    return true;
  });
  // 4000 positions: the share has a standard deviation of at most 0.008.
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(masked[i], 0.8 - 0.2 * double(i), 0.04);
  EXPECT_EQ(masked[4], 0);
}

// The share of token 6 where its odds to token 7, the only other one, are e^2.
double share_of_the_likelier(double temperature) {
  DecodingSettings settings = with_order("topk", 1);
  settings.temperature = temperature;
  auto puzzles = random_puzzles(12, 100, 100, settings);
  freeze(puzzles, false);
  FunctionNetwork network(kTestVocabulary, [](auto, auto, std::span<float> logits) {
    std::fill(logits.begin(), logits.end(), -1000.f);
    for (std::size_t n = 0; n < 100; ++n) {
      logits[n * kTestVocabulary + 6] = 3;
      logits[n * kTestVocabulary + 7] = 1;
    }
  });
  std::size_t likelier = 0;
  for (const TryResult& finished : decode_all(network, puzzles)) {
    likelier += count_of(6, finished.tokens);
    EXPECT_EQ(count_of(6, finished.tokens) + count_of(7, finished.tokens), 100u);
    const double p = temperature > 0 ? 1 / (1 + std::exp(-2 / temperature)) : 1;
    EXPECT_NEAR(static_cast<double>(count_of(6, finished.tokens)), 100 * p,
                25);  // each position has its own draw
  }
  return static_cast<double>(likelier) / 10000;
}

TEST(Diffusion, TemperatureSamplesFromTheSoftmax) {
  // 10,000 draws: a standard deviation of at most 0.005.
  for (const double temperature : {0.5, 1.0, 2.0})
    EXPECT_NEAR(share_of_the_likelier(temperature), 1 / (1 + std::exp(-2 / temperature)), 0.02);
  for (const double cold : {0.0, 1e-300}) EXPECT_EQ(share_of_the_likelier(cold), 1);
}

TEST(Diffusion, SureOrdersTakeAPassPerGroup) {
  Staircase puzzle(3, 13, 3);  // 12 positions in 4 groups
  for (const char* order : {"threshold", "entropy"}) {
    const std::vector<TryResult> all = puzzle.decode(with_order(order));
    EXPECT_TRUE(puzzle.solved(all)) << order;
    EXPECT_EQ(passes_of(all), (Counts{4, 4, 4})) << order;
  }
}

TEST(Diffusion, SureOrdersShowAtLeastOnePositionPerPass) {
  FunctionNetwork network = random_network(14, kTestVocabulary);
  for (const char* order : {"threshold", "entropy"})
    for (const std::int64_t steps : {20, 5}) {
      DecodingSettings settings = with_order(order, steps);
      settings.threshold = 1;
      settings.entropy_bound = 0;
      auto puzzles = random_puzzles(14, 3, 12, settings);
      freeze(puzzles, false);
      const std::vector<TryResult> all = decode_all(network, puzzles);
      const std::int64_t passes = std::min<std::int64_t>(12, steps);  // the last shows the rest
      EXPECT_EQ(passes_of(all), (Counts{passes, passes, passes}));
      EXPECT_EQ(count_of(data::kMask, all[0].tokens), 0u);
    }
}

TEST(Diffusion, EasyFirstSolvesWhatRandomOrderDoesNot) {
  Staircase puzzle(3, 13, 1);
  DecodingSettings settings = with_order("topk", 12);
  settings.noise = 0;
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    EXPECT_TRUE(puzzle.solved(puzzle.decode(settings))) << revise;
  }
  EXPECT_FALSE(puzzle.solved(puzzle.decode(with_order("random", 12))));
}

TEST(Diffusion, EarlyStopGivesTheSameAnswerInFewerPasses) {
  Staircase puzzle(3, 13, 4);  // solved once 8 of 12 positions are shown
  DecodingSettings settings = with_order("topk", 12);
  settings.noise = 0;
  for (const char* revise : {"on", "remask", "off"}) {
    settings.revise = revise;
    settings.early_stop = false;
    const std::vector<TryResult> patient = puzzle.decode(settings);
    settings.early_stop = true;
    const std::vector<TryResult> early = puzzle.decode(settings);
    EXPECT_TRUE(puzzle.solved(patient)) << revise;
    EXPECT_TRUE(puzzle.solved(early)) << revise;
    EXPECT_EQ(passes_of(patient), (Counts{12, 12, 12})) << revise;
    // Pass 9 is the first to know everything, pass 10 agrees.
    EXPECT_EQ(passes_of(early), (Counts{10, 10, 10})) << revise;
  }
}

TEST(Diffusion, EarlyStopWaitsWhileAnythingIsUnsure) {
  DecodingSettings settings = with_order("topk", 8);
  settings.revise = "on";
  settings.early_stop = true;
  auto puzzles = random_puzzles(15, 2, 6, settings);
  freeze(puzzles, false);
  for (Puzzle& puzzle : puzzles) puzzle.frozen[0] = 1;
  puzzles[0].tokens[0] = 5;
  puzzles[1].tokens[0] = 6;  // the one with a guess, which never changes
  FunctionNetwork network(kTestVocabulary,
                          [](std::span<const data::Token> tokens, auto, std::span<float> logits) {
                            std::fill(logits.begin(), logits.end(), 0.f);
                            for (std::size_t n = 0; n < 6; ++n) logits[n * kTestVocabulary + 7] = 9;
                            if (tokens[0] == 6) logits[3 * kTestVocabulary + 7] = 1;
                          });
  const std::vector<TryResult> all = decode_all(network, puzzles);
  EXPECT_EQ(passes_of(all), (Counts{2, 8}));
  EXPECT_EQ(all[1].tokens, (Tokens{6, 7, 7, 7, 7, 7}));
}

TEST(Diffusion, CommittingEndsWhenAllIsShown) {
  DecodingSettings settings;
  settings.revise = "off";
  auto puzzles = random_puzzles(16, 2, 6, settings);
  freeze(puzzles, true);
  puzzles[0].frozen[2] = 0;  // L = 1: floor(19/20) = 0 positions stay masked
  FunctionNetwork network = random_network(16, kTestVocabulary);
  EXPECT_EQ(passes_of(decode_all(network, puzzles)), (Counts{1, 0}));
}

// Three positions are equally sure: with floor(4 t/4) = 3, 2, 1 positions to mask, the cut-off is a
// tie in every pass, and what ties is shown.
TEST(Diffusion, TiesAreShownTogether) {
  DecodingSettings settings = with_order("topk", 4);
  settings.noise = 0;
  settings.revise = "on";
  FunctionNetwork network(kTestVocabulary, [](auto, auto, std::span<float> logits) {
    std::fill(logits.begin(), logits.end(), 0.f);
    for (std::size_t n = 0; n < 4; ++n) logits[n * kTestVocabulary + 7] = n == 2 ? 1.f : 3.f;
  });
  for (const char* order : {"topk", "margin"}) {
    settings.order = order;
    std::vector<Tokens> seen;
    decode_all(network, {{.tokens = Tokens(4), .frozen = {0, 0, 0, 0}, .settings = settings}},
               [&](std::size_t, const Step& step) {
                 seen.emplace_back(step.tokens.begin(), step.tokens.end());
                 return true;
               });
    const Tokens one_masked{7, 7, data::kMask, 7};
    EXPECT_EQ(seen, (std::vector<Tokens>{one_masked, one_masked, one_masked, {7, 7, 7, 7}}));
  }
}

}  // namespace
}  // namespace mgdm::decoding
