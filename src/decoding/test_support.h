// Puzzles to decode and ways to look at what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/vocabulary.h"
#include "decoding/fake_networks.h"
#include "decoding/slots.h"

namespace mgdm::decoding {

constexpr std::size_t kTestVocabulary = 12;
using Tokens = std::vector<data::Token>;
using Counts = std::vector<std::int64_t>;

// Puzzle `row` of a batch: random tokens, each position frozen with a probability that differs from
// row to row.
inline Puzzle random_puzzle(std::uint64_t seed, std::uint32_t row, std::size_t length,
                            const DecodingSettings& settings = {}) {
  Puzzle puzzle;
  puzzle.item = 100 + row;
  puzzle.settings = settings;
  Stream random(seed, Purpose::kTest, row);
  const float share = random.uniform();
  for (std::size_t n = 0; n < length; ++n) {
    puzzle.frozen.push_back(random.uniform() < share);
    puzzle.tokens.push_back(
        static_cast<data::Token>(random.between(data::kSpecialTokens, kTestVocabulary - 1)));
  }
  return puzzle;
}

inline std::vector<Puzzle> random_puzzles(std::uint64_t seed, std::uint32_t rows,
                                          std::size_t length,
                                          const DecodingSettings& settings = {}) {
  std::vector<Puzzle> puzzles;
  for (std::uint32_t row = 0; row < rows; ++row)
    puzzles.push_back(random_puzzle(seed, row, length, settings));
  return puzzles;
}

inline void freeze(std::vector<Puzzle>& puzzles, bool frozen) {
  for (Puzzle& puzzle : puzzles) puzzle.frozen.assign(puzzle.tokens.size(), frozen);
}

// Called with the number of the puzzle.
using RowObserver = std::function<bool(std::size_t row, const Step& step)>;

// Decodes the puzzles together.
inline std::vector<TryResult> decode_all(Network& network, const std::vector<Puzzle>& puzzles,
                                         const RowObserver& observer = {}) {
  std::vector<Try> tries;
  for (std::size_t row = 0; row < puzzles.size(); ++row) {
    tries.push_back({puzzles[row]});
    if (observer)
      tries.back().observer = [&observer, row](const Step& step) { return observer(row, step); };
  }
  return decode(network, std::move(tries));
}

inline Counts passes_of(const std::vector<TryResult>& all) {
  Counts passes;
  for (const TryResult& result : all) passes.push_back(result.passes);
  return passes;
}

inline std::size_t count_of(data::Token token, std::span<const data::Token> tokens) {
  std::size_t count = 0;
  for (const data::Token each : tokens) count += each == token;
  return count;
}

inline std::size_t diffused_count(const Puzzle& puzzle) {
  std::size_t count = 0;
  for (const std::uint8_t frozen : puzzle.frozen) count += !frozen;
  return count;
}

// By the name of an order, or of one of the decoders without orders.
inline DecodingSettings with_order(const std::string& order, std::int64_t steps = 6) {
  DecodingSettings settings;
  settings.steps = steps;
  if (order == "greedy")
    settings.decoder = Decoder::kLeftToRight;
  else if (order == "multinomial")
    settings.decoder = Decoder::kMultinomial;
  else
    settings.order = order;
  return settings;
}

// Position 0 says which puzzle it is, the others are free; position n has the difficulty
// (n - 1) / group * group, so that groups can only be solved one after the other.
struct Staircase {
  Staircase(std::uint32_t rows, std::size_t length, int group)
      : puzzles(random_puzzles(13, rows, length)), network(kTestVocabulary, {}) {
    freeze(puzzles, false);
    std::vector<std::vector<int>> difficulty(rows, std::vector<int>(length));
    for (std::uint32_t row = 0; row < rows; ++row) {
      puzzles[row].frozen[0] = 1;
      puzzles[row].tokens[0] = static_cast<data::Token>(data::kSpecialTokens + row);
      answers.push_back(puzzles[row].tokens);
      for (std::size_t n = 1; n < length; ++n)
        difficulty[row][n] = (static_cast<int>(n) - 1) / group * group;
    }
    network = oracle_network(answers, difficulty, kTestVocabulary);
  }
  std::vector<TryResult> decode(const DecodingSettings& settings) {
    for (Puzzle& puzzle : puzzles) puzzle.settings = settings;
    return decode_all(network, puzzles);
  }
  bool solved(const std::vector<TryResult>& all) const {
    for (std::size_t row = 0; row < all.size(); ++row)
      if (all[row].tokens != answers[row]) return false;
    return true;
  }

  std::vector<Puzzle> puzzles;
  std::vector<Tokens> answers;
  FunctionNetwork network;
};

}  // namespace mgdm::decoding
