#include "decoding/slots.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

// Remembers what was asked.
class RecordingNetwork : public CausalNetwork {
 public:
  using CausalNetwork::CausalNetwork;
  void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) override {
    if (fails_at_length == rows.length) throw Error("out of memory");
    calls.push_back({rows.count, rows.length, loops});
    CausalNetwork::logits(rows, loops, logits);
  }
  void next_logits(std::span<const Reading> readings, std::span<float> logits) override {
    readings_at_once.push_back(readings.size());
    CausalNetwork::next_logits(readings, logits);
  }

  using Call = std::tuple<std::size_t, std::size_t, std::int64_t>;  // rows, length, loops
  std::vector<Call> calls;
  std::vector<std::size_t> readings_at_once;
  std::size_t fails_at_length = 0;
};
using Calls = std::vector<RecordingNetwork::Call>;

// All free but the first position.
Puzzle free_puzzle(std::uint32_t item, std::size_t length, const std::string& order = "topk",
                   std::int64_t steps = 4) {
  Puzzle puzzle{.tokens = Tokens(length, 5), .frozen = {}, .item = item};
  puzzle.frozen.assign(length, 0);
  puzzle.frozen[0] = 1;
  puzzle.settings = with_order(order, steps);
  puzzle.settings.revise = "on";
  return puzzle;
}

TEST(Slots, OneCallForAllOfOneLength) {
  RecordingNetwork network(1, kTestVocabulary);
  Slots slots(network);
  for (std::uint32_t item = 0; item < 5; ++item) slots.join({free_puzzle(item, 8)});
  EXPECT_TRUE(slots.pass().empty());
  EXPECT_EQ(network.calls, (Calls{{5, 8, 0}}));
}

TEST(Slots, LengthsLoopsAndSequencesAreAskedApart) {
  RecordingNetwork network(1, kTestVocabulary);
  Slots slots(network);
  Puzzle looped = free_puzzle(4, 8);
  looped.settings.loops = 16;
  slots.join({free_puzzle(0, 8)});
  slots.join({free_puzzle(1, 6)});
  slots.join({looped});
  slots.join({free_puzzle(2, 9, "greedy")});
  slots.join({free_puzzle(3, 8, "margin", 20)});
  slots.join({free_puzzle(5, 5, "greedy")});
  slots.pass();
  EXPECT_EQ(network.calls, (Calls{{1, 6, 0}, {2, 8, 0}, {1, 8, 16}}));
  EXPECT_EQ(network.readings_at_once, (std::vector<std::size_t>{2}));
}

// Every order and method side by side, joining one pass after the other: each answers as it would
// alone.
TEST(Slots, AnAnswerDoesNotDependOnItsNeighbours) {
  for (const double temperature : {0.0, 1.0}) {
    CausalNetwork network(7, kTestVocabulary);
    std::vector<Puzzle> puzzles;
    std::uint32_t row = 0;
    for (const char* order :
         {"topk", "margin", "random", "threshold", "entropy", "multinomial", "greedy"})
      for (const std::size_t length : {12u, 20u}) {
        Puzzle puzzle = random_puzzle(5, row, length, with_order(order, 4 + row));
        puzzle.frozen[0] = 1;
        puzzle.settings.revise = row % 2 == 0 ? "on" : "off";
        puzzle.settings.temperature = temperature;
        puzzle.settings.seed = row;
        puzzles.push_back(puzzle);
        ++row;
      }
    std::map<SlotId, TryResult> together;
    Slots slots(network);
    for (std::size_t i = 0; i < puzzles.size() || slots.active() > 0; ++i) {
      if (i < puzzles.size()) slots.join({puzzles[i]});
      for (TryResult& finished : slots.pass()) together[finished.slot] = std::move(finished);
    }
    ASSERT_EQ(together.size(), puzzles.size());
    for (std::size_t i = 0; i < puzzles.size(); ++i) {
      const TryResult alone = decode_all(network, {puzzles[i]})[0];
      EXPECT_EQ(together[i].tokens, alone.tokens) << puzzles[i].settings.order;
      EXPECT_EQ(together[i].passes, alone.passes);
    }
  }
}

TEST(Slots, WhoIsTryResultIsAnsweredWhileOthersWait) {
  CausalNetwork network(1, kTestVocabulary);
  Slots slots(network);
  const SlotId slow = slots.join({free_puzzle(0, 8, "topk", 9)});
  const SlotId quick = slots.join({free_puzzle(1, 8, "topk", 2)});
  EXPECT_TRUE(slots.pass().empty());
  std::vector<TryResult> finished = slots.pass();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].slot, quick);
  const SlotId late = slots.join({free_puzzle(2, 8, "topk", 1)});
  finished = slots.pass();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].slot, late);
  EXPECT_EQ(slots.active(), 1u);
  for (int pass = 3; pass < 9; ++pass) finished = slots.pass();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].slot, slow);
  EXPECT_EQ(finished[0].passes, 9);
  EXPECT_EQ(slots.active(), 0u);
}

TEST(Slots, ACancelledSlotIsGone) {
  RecordingNetwork network(1, kTestVocabulary);
  Slots slots(network);
  const SlotId stays = slots.join({free_puzzle(0, 8)});
  const SlotId goes = slots.join({free_puzzle(1, 8)});
  slots.pass();
  EXPECT_TRUE(slots.cancel(goes));
  EXPECT_FALSE(slots.cancel(goes));
  EXPECT_FALSE(slots.cancel(99));
  std::vector<TryResult> finished;
  while (slots.active() > 0) finished = slots.pass();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].slot, stays);
  EXPECT_EQ(network.calls, (Calls{{2, 8, 0}, {1, 8, 0}, {1, 8, 0}, {1, 8, 0}}));
  EXPECT_FALSE(slots.cancel(stays));
}

TEST(Slots, AnObserverEndsItsOwnSlot) {
  CausalNetwork network(8, kTestVocabulary);
  for (const char* order :
       {"topk", "margin", "random", "threshold", "entropy", "multinomial", "greedy"}) {
    std::vector<std::int64_t> seen[2];
    std::vector<Try> tries;
    for (const std::size_t row : {0u, 1u})
      tries.push_back({free_puzzle(8, 20, order, 6), [&, row](const Step& step) {
                         seen[row].push_back(step.pass);
                         return row == 1 || step.pass < 1;
                       }});
    const std::vector<TryResult> all = decode(network, std::move(tries));
    EXPECT_EQ(seen[0], (Counts{0, 1})) << order;
    EXPECT_EQ(all[0].passes, 2) << order;
    EXPECT_GT(all[1].passes, 2) << order;
    EXPECT_EQ(static_cast<std::int64_t>(seen[1].size()), all[1].passes) << order;
  }
}

TEST(Slots, AnExceptionEndsOnlyItsOwnSlot) {
  CausalNetwork network(1, kTestVocabulary);
  Slots slots(network);
  const SlotId quiet = slots.join({free_puzzle(0, 8)});
  const SlotId observed = slots.join({free_puzzle(1, 8), [](const Step& step) -> bool {
                                        if (step.pass == 1) throw std::runtime_error("gone");
                                        return true;
                                      }});
  std::map<SlotId, TryResult> all;
  while (slots.active() > 0)
    for (TryResult& finished : slots.pass()) all[finished.slot] = std::move(finished);
  EXPECT_FALSE(all.at(quiet).error);
  EXPECT_EQ(all.at(quiet).tokens, decode_all(network, {free_puzzle(0, 8)})[0].tokens);
  ASSERT_TRUE(all.at(observed).error);
  EXPECT_THROW(std::rethrow_exception(all.at(observed).error), std::runtime_error);
  EXPECT_EQ(all.at(observed).passes, 2);  // what there was when it ended
  EXPECT_EQ(count_of(data::kMask, all.at(observed).tokens), 3u);
}

TEST(Slots, AFailingCallEndsTheSlotsInIt) {
  RecordingNetwork network(1, kTestVocabulary);
  network.fails_at_length = 9;
  Slots slots(network);
  slots.join({free_puzzle(0, 8)});
  slots.join({free_puzzle(1, 9)});
  slots.join({free_puzzle(2, 9)});
  const std::vector<TryResult> failed = slots.pass();
  ASSERT_EQ(failed.size(), 2u);
  for (const TryResult& finished : failed) {
    EXPECT_THROW(std::rethrow_exception(finished.error), Error);
    EXPECT_EQ(finished.passes, 0);
  }
  EXPECT_EQ(slots.active(), 1u);
}

// A diverged model: the slots it was asked about learn of it, nobody crashes.
TEST(Slots, PredictionsThatAreNoNumbersEndTheirSlot) {
  FunctionNetwork network(
      kTestVocabulary, [](std::span<const data::Token> tokens, auto, std::span<float> logits) {
        std::fill(logits.begin(), logits.end(), tokens[0] == 5 ? std::nanf("") : 0.f);
      });
  for (const char* order : {"topk", "entropy", "multinomial"}) {
    Slots slots(network);
    Puzzle other = free_puzzle(1, 8, order);
    other.tokens[0] = 6;
    slots.join({free_puzzle(0, 8, order)});
    slots.join({other});
    const std::vector<TryResult> failed = slots.pass();
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_THROW(std::rethrow_exception(failed[0].error), Error);
    EXPECT_EQ(slots.active(), 1u);
  }
}

TEST(Slots, NothingToDecodeTakesNoPass) {
  RecordingNetwork network(1, kTestVocabulary);
  Puzzle given = free_puzzle(0, 8);
  given.frozen.assign(8, 1);
  const TryResult finished = decode_all(network, {given})[0];
  EXPECT_EQ(finished.tokens, given.tokens);
  EXPECT_EQ(finished.passes, 0);
  EXPECT_TRUE(network.calls.empty());
  EXPECT_TRUE(decode(network, {}).empty());
}

// Takes puzzles of one length, and answers each in two passes with its item everywhere.
class TwoPassDecoder : public BatchDecoder {
 public:
  bool takes(const Try& one) const override { return one.puzzle.tokens.size() == 5; }
  void join(SlotId slot, Try one) override { running_[slot] = {one.puzzle.item, 0}; }
  bool cancel(SlotId slot) override { return running_.erase(slot) > 0; }
  std::size_t active() const override { return running_.size(); }
  std::vector<TryResult> pass() override {
    std::vector<TryResult> finished;
    for (auto& [slot, state] : running_)
      if (++state.passes == 2) finished.push_back({slot, Tokens(5, state.item), 2, {}});
    for (const TryResult& result : finished) running_.erase(result.slot);
    return finished;
  }

 private:
  struct State {
    std::uint32_t item;
    std::int64_t passes;
  };
  std::map<SlotId, State> running_;
};

TEST(Slots, ABatchDecoderTakesItsTriesAndThePlainDecodersTheOthers) {
  CausalNetwork network(1, kTestVocabulary);
  TwoPassDecoder decoder;
  Slots slots(network, {&decoder});
  const SlotId plain = slots.join({free_puzzle(7, 8, "topk", 2)});
  const SlotId taken = slots.join({free_puzzle(9, 5)});
  const SlotId cancelled = slots.join({free_puzzle(9, 5)});
  EXPECT_EQ(slots.active(), 3u);
  EXPECT_TRUE(slots.pass().empty());
  EXPECT_TRUE(slots.cancel(cancelled));
  EXPECT_FALSE(slots.cancel(cancelled));
  const std::vector<TryResult> all = slots.pass();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].slot, plain);
  EXPECT_EQ(all[0].tokens, decode_all(network, {free_puzzle(7, 8, "topk", 2)})[0].tokens);
  EXPECT_EQ(all[1].slot, taken);
  EXPECT_EQ(all[1].tokens, Tokens(5, 9));
  EXPECT_EQ(slots.active(), 0u);
}

TEST(Slots, AnUnknownOrderIsAMistake) {
  CausalNetwork network(1, kTestVocabulary);
  Slots slots(network);
  EXPECT_THROW(slots.join({free_puzzle(0, 8, "best")}), UsageError);
  EXPECT_EQ(slots.active(), 0u);
}

constexpr std::uint32_t kRows = 12;

// Nothing is given, and there is much noise.
std::vector<Puzzle> open_puzzles(std::int64_t attempt = 0, std::int64_t seed = 1) {
  DecodingSettings settings = with_order("topk", 4);
  settings.noise = 5;
  settings.seed = seed;
  auto puzzles = random_puzzles(1, kRows, 8, settings);
  for (Puzzle& puzzle : puzzles) puzzle.attempt = attempt;
  freeze(puzzles, false);
  return puzzles;
}

// The answers are so many that two are hardly ever alike by chance.
TEST(Slot, EveryTryOfEverySeedIsAnother) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  for (std::size_t b = 0; b < kRows; ++b) {
    std::set<Tokens> answers;
    for (const std::int64_t seed : {1, 2})
      for (std::int64_t attempt = 0; attempt < 10; ++attempt) {
        Puzzle puzzle = open_puzzles(attempt, seed)[b];
        puzzle.settings.temperature = 100;
        answers.insert(decode_all(network, {puzzle})[0].tokens);
      }
    EXPECT_EQ(answers.size(), 20u);
  }
}

}  // namespace

}  // namespace mgdm::decoding
