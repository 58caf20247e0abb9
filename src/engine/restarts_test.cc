#include "engine/restarts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "engine/fake_networks.h"

namespace mgdm::engine {
namespace {

constexpr std::int64_t kPuzzles = 12;

Batch open_batch() {
  return {at::zeros({kPuzzles, 8}, at::kLong), at::zeros({kPuzzles, 8}, at::kBool),
          at::arange(kPuzzles, at::kLong)};
}

// Accepts about one answer in eight.
bool accepts(const at::Tensor& tokens) { return tokens.sum().item<std::int64_t>() % 8 == 0; }

Decoder masked_decoder(const Network& network, const spec::DecodingSettings& settings) {
  return [=](const Batch& batch) { return decode(network, batch, settings); };
}

TEST(Restarts, TakesTheFirstAcceptedAnswer) {
  spec::DecodingSettings settings;
  settings.tries = 10;
  settings.steps = 4;
  settings.noise = 5;
  const Network network = random_network(2, 12);
  const Batch batch = open_batch();
  std::int64_t asked = 0;
  const Restarts restarts = decode_with_restarts(masked_decoder(network, settings), batch, settings,
                                                 [&](std::int64_t, const at::Tensor& tokens) {
                                                   ++asked;
                                                   return accepts(tokens);
                                                 });

  // The same, each try for all rows.
  std::vector<Result> tries;
  for (std::int64_t k = 0; k < settings.tries; ++k)
    tries.push_back(decode(network, {batch.tokens, batch.frozen, batch.items, k}, settings));
  EXPECT_TRUE(at::equal(restarts.first.tokens, tries[0].tokens));
  EXPECT_TRUE(at::equal(restarts.first.forward_passes, tries[0].forward_passes));
  std::int64_t needed = 0, solved = 0;
  for (std::int64_t b = 0; b < kPuzzles; ++b) {
    std::int64_t success = -1, passes = 0;
    for (std::size_t k = 0; k < tries.size() && success < 0; ++k) {
      ++needed;
      passes += tries[k].forward_passes[b].item<std::int64_t>();
      if (accepts(tries[k].tokens[b])) success = static_cast<std::int64_t>(k);
    }
    EXPECT_EQ(restarts.successful_try[b].item<std::int64_t>(), success);
    EXPECT_EQ(restarts.best.forward_passes[b].item<std::int64_t>(), passes);
    const std::size_t chosen = success < 0 ? 0 : static_cast<std::size_t>(success);
    EXPECT_TRUE(at::equal(restarts.best.tokens[b], tries[chosen].tokens[b]));
    solved += success >= 0;
  }
  EXPECT_EQ(asked, needed);
  EXPECT_GT(solved, 0);
  EXPECT_LT(solved, kPuzzles);  // both outcomes were seen
}

TEST(Restarts, SeedsShareNoTries) {
  spec::DecodingSettings settings;
  settings.steps = 4;
  settings.noise = 5;
  settings.tries = 5;
  const Network network = random_network(2, 12);
  std::vector<at::Tensor> answers[2];  // of every row, try by try
  for (const std::int64_t seed : {1, 2}) {
    settings.seed = seed;
    decode_with_restarts(masked_decoder(network, settings), open_batch(), settings,
                         [&](std::int64_t, const at::Tensor& tokens) {
                           answers[seed - 1].push_back(tokens.clone());
                           return false;
                         });
  }
  ASSERT_EQ(answers[0].size(), 5u * kPuzzles);
  for (std::size_t i = 0; i + kPuzzles < answers[0].size(); ++i)
    EXPECT_FALSE(at::equal(answers[0][i + kPuzzles], answers[1][i])) << "try " << i / kPuzzles;
}

TEST(Restarts, TheFirstTryIsThatOfASingleOne) {
  const spec::DecodingSettings settings;
  const Network network = random_network(2, 12);
  const Batch batch = open_batch();
  EXPECT_TRUE(
      at::equal(decode(network, batch, settings).tokens,
                decode(network, {batch.tokens, batch.frozen, batch.items, 0}, settings).tokens));
  // Try 2 draws from steps 2 * 65536, 2 * 65536 + 1, ... of the same seed.
  const at::Tensor drawn = draws({batch.tokens, batch.frozen, batch.items, 2}, 1, 3, 4);
  Stream random(1, Purpose::kDecode, 5, 2 * 65536 + 3);
  for (std::int64_t n = 0; n < 4; ++n) EXPECT_EQ(drawn[5][n].item<float>(), random.uniform());
}

TEST(Restarts, TheVerifierIsToldTheRow) {
  spec::DecodingSettings settings;
  settings.tries = 3;
  const Restarts restarts =
      decode_with_restarts(masked_decoder(random_network(2, 12), settings), open_batch(), settings,
                           [](std::int64_t row, const at::Tensor&) { return row % 2 == 1; });
  for (std::int64_t b = 0; b < kPuzzles; ++b)
    EXPECT_EQ(restarts.successful_try[b].item<std::int64_t>(), b % 2 == 1 ? 0 : -1);
}

// Rows leave as they are accepted; who watches is told which are left.
TEST(Restarts, ObserversAreToldTheRowsAndTheTry) {
  spec::DecodingSettings settings;
  settings.steps = 3;
  settings.tries = 3;
  const Network network = random_network(2, 12);
  at::Tensor last[kPuzzles];  // what was seen of each row at the end of its last try
  std::int64_t asked[kPuzzles] = {};
  const Decoder decoder = [&](const Batch& batch) {
    return decode(network, batch, settings, [&](const Step& step) {
      EXPECT_EQ(step.rows.size(0), step.tokens.size(0));
      for (std::int64_t i = 0; i < step.rows.size(0); ++i) {
        const auto row = step.rows[i].item<std::int64_t>();
        EXPECT_GE(row, 4 * step.attempt);
        last[row] = step.tokens[i];
      }
      return true;
    });
  };
  // Try k is right for rows 4k .. 4k + 3.
  const Restarts restarts = decode_with_restarts(decoder, open_batch(), settings,
                                                 [&](std::int64_t row, const at::Tensor& tokens) {
                                                   EXPECT_TRUE(at::equal(last[row], tokens)) << row;
                                                   return asked[row]++ == row / 4;
                                                 });
  for (std::int64_t row = 0; row < kPuzzles; ++row) {
    EXPECT_EQ(restarts.successful_try[row].item<std::int64_t>(), row / 4);
    EXPECT_TRUE(at::equal(restarts.best.tokens[row], last[row]));
  }
}

TEST(Restarts, AStopEndsAllTries) {
  spec::DecodingSettings settings;
  settings.steps = 3;
  settings.tries = 5;
  const Network network = random_network(2, 12);
  int calls = 0;
  const Decoder decoder = [&](const Batch& batch) {
    return decode(network, batch, settings, [&](const Step& step) {
      ++calls;
      return step.attempt < 1 || step.pass < 1;
    });
  };
  const Restarts restarts = decode_with_restarts(
      decoder, open_batch(), settings, [](std::int64_t, const at::Tensor&) { return false; });
  EXPECT_EQ(calls, 3 + 2);
  EXPECT_EQ(restarts.best.forward_passes[0].item<std::int64_t>(), 5);
  EXPECT_TRUE(at::equal(restarts.best.tokens, restarts.first.tokens));
}

TEST(Restarts, WithoutNoiseAreAMistake) {
  spec::DecodingSettings settings;
  settings.noise = 0;
  settings.tries = 2;
  const auto never = [](std::int64_t, const at::Tensor&) { return false; };
  EXPECT_THROW(decode_with_restarts(masked_decoder(random_network(2, 12), settings), open_batch(),
                                    settings, never),
               UsageError);
  settings.tries = 1;
  decode_with_restarts(masked_decoder(random_network(2, 12), settings), open_batch(), settings,
                       never);
}

}  // namespace
}  // namespace mgdm::engine
