#include "decoding/fake_networks.h"

#include <gtest/gtest.h>

#include <set>

#include "decoding/network.h"

namespace mgdm::decoding {
namespace {

using Tokens = std::vector<data::Token>;

std::vector<float> logits_of(Network& network, const Tokens& tokens, std::size_t rows,
                             const std::vector<std::uint8_t>& frozen) {
  std::vector<float> logits(tokens.size() * network.vocabulary());
  network.logits({rows, tokens.size() / rows, tokens, frozen}, 0, logits);
  return logits;
}

TEST(FakeNetworks, ARowHasTheSameLogitsInEveryBatch) {
  FunctionNetwork network = random_network(1, 9);
  const std::vector<float> two = logits_of(network, {5, 2, 6, 7, 2, 2}, 2, {1, 0, 1, 1, 0, 0});
  const std::vector<float> one = logits_of(network, {7, 2, 2}, 1, {1, 0, 0});
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin() + 27));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), two.begin()));
  for (const float logit : two) EXPECT_TRUE(logit >= 0 && logit < 4);
}

TEST(FakeNetworks, DistinctPositionsRepeat) {
  FunctionNetwork network = random_network(1, 9, 4, /*distinct=*/2);
  const std::vector<float> logits = logits_of(network, {2, 2, 2, 2, 2}, 1, {0, 0, 0, 0, 0});
  std::set<std::vector<float>> different;
  for (std::size_t n = 0; n < 5; ++n)
    different.emplace(logits.begin() + std::ptrdiff_t(n * 9),
                      logits.begin() + std::ptrdiff_t((n + 1) * 9));
  EXPECT_EQ(different.size(), 2u);
}

TEST(FakeNetworks, TheOracleNeedsTheEasyOnesFirst) {
  FunctionNetwork network =
      oracle_network({{5, 6, 7, 8}, {9, 8, 8, 8}}, {{0, 0, 1, 2}, {0, 0, 0, 0}}, 10);
  const auto predicted = [&](const Tokens& tokens) {
    std::vector<float> logits = logits_of(network, tokens, 1, {1, 0, 0, 0});
    Tokens best;
    for (std::size_t n = 0; n < 4; ++n)
      best.push_back(static_cast<data::Token>(likeliest(std::span(logits).subspan(n * 10, 10))));
    return best;
  };
  constexpr data::Token m = data::kMask;
  EXPECT_EQ(predicted({5, m, m, m}), (Tokens{5, 6, 8, 9}));
  EXPECT_EQ(predicted({5, 6, m, m}), (Tokens{5, 6, 7, 9}));
  EXPECT_EQ(predicted({5, 7, m, m}), (Tokens{5, 6, 8, 9}));  // a wrong token does not help
  EXPECT_EQ(predicted({5, 6, 7, m}), (Tokens{5, 6, 7, 8}));
  EXPECT_EQ(predicted({9, m, m, m}), (Tokens{9, 8, 8, 8}));
}

TEST(FakeNetworks, AReplayEndsWithItsLastLogits) {
  ReplayNetwork network(2, {{1, 2}, {3, 4}});
  for (const float first : {1.f, 3.f, 3.f})
    EXPECT_EQ(logits_of(network, {0}, 1, {0}), (std::vector<float>{first, first + 1}));
}

TEST(FakeNetworks, TheCausalOneReadsOnAsItReadsAtOnce) {
  CausalNetwork network(4, 9);
  const Tokens tokens{5, 6, 7, 8, 5};
  const std::vector<float> at_once = logits_of(network, tokens, 1, {0, 0, 0, 0, 0});
  const auto one = network.start(0), two = network.start(0);
  std::vector<float> logits(2 * 9);
  network.next_logits(std::vector<Reading>{{one.get(), std::span(tokens).first(1)},
                                           {two.get(), std::span(tokens).first(3)}},
                      logits);
  EXPECT_TRUE(std::equal(logits.begin(), logits.begin() + 9, at_once.begin() + 9));
  EXPECT_TRUE(std::equal(logits.begin() + 9, logits.end(), at_once.begin() + 27));
  network.next_logits(std::vector<Reading>{{one.get(), std::span(tokens).subspan(1, 3)}},
                      std::span(logits).first(9));
  EXPECT_TRUE(std::equal(logits.begin(), logits.begin() + 9, at_once.begin() + 36));
  EXPECT_EQ(network.tokens_read(), 7u);
}

}  // namespace
}  // namespace mgdm::decoding
