#include "decoding/greedy.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "decoding/network.h"
#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

constexpr std::size_t kGreedyVocabulary = 9, kGreedyLength = 20;

// Row b has 2 + b frozen tokens and then 18 - b to predict.
std::vector<Puzzle> prefixes(std::uint32_t rows) {
  std::vector<Puzzle> puzzles;
  for (std::uint32_t b = 0; b < rows; ++b) {
    Puzzle puzzle{.tokens = {}, .frozen = {}, .item = b, .settings = with_order("greedy")};
    Stream random(5, Purpose::kTest, b);
    for (std::size_t n = 0; n < kGreedyLength; ++n) {
      puzzle.tokens.push_back(static_cast<data::Token>(random.between(5, 8)));
      puzzle.frozen.push_back(n < 2 + b);
    }
    puzzles.push_back(puzzle);
  }
  return puzzles;
}

// The likeliest tokens (N), position n given the tokens before it.
Tokens likeliest_tokens(Network& network, const Tokens& tokens) {
  std::vector<float> logits(tokens.size() * network.vocabulary());
  const std::vector<std::uint8_t> frozen(tokens.size());
  network.logits({1, tokens.size(), tokens, frozen}, 0, logits);
  Tokens likely;
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const auto at_n = std::span(logits).subspan(n * kGreedyVocabulary, kGreedyVocabulary);
    answer_log_probs(at_n);
    likely.push_back(static_cast<data::Token>(likeliest(at_n)));
  }
  return likely;
}

TEST(Greedy, EveryTokenIsTheLikeliestGivenThoseBefore) {
  CausalNetwork network(3, kGreedyVocabulary);
  auto puzzles = prefixes(9);
  puzzles[4].frozen[12] = 1;  // given tokens may come later, too
  puzzles[5].frozen[19] = 1;
  for (const TryResult& finished : decode_all(network, puzzles)) {
    const Puzzle& puzzle = puzzles[finished.slot];
    const Tokens likely = likeliest_tokens(network, finished.tokens);
    std::int64_t predicted = 0;
    bool ended = false;
    for (std::size_t n = 0; n < kGreedyLength; ++n) {
      const data::Token token = finished.tokens[n];
      if (puzzle.frozen[n]) {
        EXPECT_EQ(token, puzzle.tokens[n]);
      } else if (ended) {
        EXPECT_EQ(token, data::kPad);
      } else {
        EXPECT_EQ(token, likely[n]) << finished.slot << "," << n;
        ++predicted;
        ended = token == data::kEos;
      }
    }
    EXPECT_EQ(finished.passes, predicted);
  }
}

TEST(Greedy, ReadsEveryTokenOnce) {
  CausalNetwork network(3, kGreedyVocabulary);
  const auto puzzles = prefixes(9);
  std::size_t read = 0;
  for (const TryResult& finished : decode_all(network, puzzles))
    read += static_cast<std::size_t>(2 + std::int64_t(finished.slot) + finished.passes - 1);
  EXPECT_EQ(network.tokens_read(), read);  // all but the last one predicted
}

TEST(Greedy, ShowsOneTokenPerPass) {
  CausalNetwork network(3, kGreedyVocabulary);
  std::int64_t passes = 0;
  const TryResult finished = decode_all(network, prefixes(1), [&](std::size_t, const Step& step) {
    EXPECT_EQ(step.pass, passes++);
    const bool last = count_of(data::kMask, step.tokens) == 0;
    const auto shown = static_cast<std::size_t>(2 + passes);
    for (std::size_t n = 0; n < kGreedyLength; ++n) {
      EXPECT_EQ(step.tokens[n] == data::kMask, !last && n >= shown);
      EXPECT_EQ(step.confidence[n] == 0, step.tokens[n] == data::kMask);
    }
    return true;
  })[0];
  EXPECT_EQ(finished.passes, passes);
}

// [EOS] is always the likeliest.
class EndingNetwork : public CausalNetwork {
 public:
  EndingNetwork() : CausalNetwork(1, kGreedyVocabulary) {}
  void next_logits(std::span<const Reading> readings, std::span<float> logits) override {
    CausalNetwork::next_logits(readings, logits);
    for (std::size_t b = 0; b < readings.size(); ++b)
      logits[b * kGreedyVocabulary + data::kEos] = 99;
  }
};

TEST(Greedy, NothingButPadsComesAfterTheEnd) {
  EndingNetwork network;
  for (const TryResult& finished : decode_all(network, prefixes(3))) {
    const std::size_t end = 2 + finished.slot;
    EXPECT_EQ(finished.tokens[end], data::kEos);
    EXPECT_EQ(count_of(data::kPad, finished.tokens), kGreedyLength - end - 1);
    EXPECT_EQ(finished.passes, 1);
  }
}

TEST(Greedy, NeedsACausalNetworkAndAnInput) {
  FunctionNetwork reads_everything = random_network(1, kGreedyVocabulary);
  EXPECT_THROW(decode_all(reads_everything, prefixes(1)), Error);
  CausalNetwork network(3, kGreedyVocabulary);
  auto puzzles = prefixes(1);
  puzzles[0].frozen.assign(kGreedyLength, 0);
  EXPECT_THROW(decode_all(network, puzzles), Error);
  puzzles[0].frozen.assign(kGreedyLength, 1);
  EXPECT_EQ(passes_of(decode_all(network, puzzles)), (Counts{0}));
}

TEST(Greedy, AlwaysAnswersTheSame) {
  CausalNetwork network(3, kGreedyVocabulary);
  auto puzzles = prefixes(1);
  const Tokens answer = decode_all(network, puzzles)[0].tokens;
  puzzles[0].attempt = 1;
  puzzles[0].settings.temperature = 1;
  EXPECT_EQ(decode_all(network, puzzles)[0].tokens, answer);
}

// A teacherless model is causal, but answers all at once.
TEST(Greedy, ACausalNetworkAlsoDecodesInOnePass) {
  CausalNetwork network(3, kGreedyVocabulary);
  auto puzzles = prefixes(2);
  for (Puzzle& puzzle : puzzles) puzzle.settings = with_order("topk", 1);
  EXPECT_EQ(passes_of(decode_all(network, puzzles)), (Counts{1, 1}));
  EXPECT_EQ(network.tokens_read(), 0u);
}

}  // namespace
}  // namespace mgdm::decoding
