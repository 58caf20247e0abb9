#include "inference/solve_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>

#include "base/error.h"
#include "inference/test_support.h"
#include "tasks/all_tasks.h"

namespace mgdm::inference {
namespace {

using tasks::Example;

// Puzzles whose answers take different numbers of passes; every third answer is wrong.
std::vector<Example> scripted(std::uint32_t count) {
  std::vector<Example> examples = planning_examples(count);
  for (std::uint32_t i = 2; i < count; i += 3) examples[i].output = "0,0";
  return examples;
}

decoding::DecodingSettings early_stopping() {
  decoding::DecodingSettings settings;
  settings.steps = 12;
  settings.noise = 0;
  settings.early_stop = true;
  return settings;
}

TEST(SolveStreams, GiveInOrderWhatEachPuzzleGetsAlone) {
  const auto examples = scripted(100);
  for (const std::size_t batch : {1u, 3u, 64u}) {
    const LoadedModel model = scripted_model("planning", 28, examples, /*hardest=*/6);
    std::vector<Solved> got;
    SolveStream stream(model, early_stopping(), batch,
                       [&](const Solved& solved) { got.push_back(solved); });
    for (const Example& example : examples) stream.add(example.input);
    stream.finish();
    ASSERT_EQ(got.size(), examples.size());
    const LoadedModel alone = scripted_model("planning", 28, examples, /*hardest=*/6);
    int right = 0;
    for (std::uint32_t i = 0; i < got.size(); ++i) {
      const Solved want = solve(alone, examples[i].input, i, early_stopping());
      EXPECT_EQ(got[i].input, want.input);
      EXPECT_EQ(got[i].text, want.text);
      EXPECT_EQ(got[i].best.passes, want.best.passes);
      EXPECT_EQ(got[i].check.right(), want.check.right());
      right += got[i].check.right() ? 1 : 0;
    }
    EXPECT_GT(right, 10);
    EXPECT_LT(right, 90);
  }
}

// A network that keeps the most rows of a call.
class Counted : public decoding::FunctionNetwork {
 public:
  using FunctionNetwork::FunctionNetwork;
  void logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> logits) override {
    *most = std::max<std::size_t>(*most, rows.count);
    FunctionNetwork::logits(rows, loops, logits);
  }
  const std::shared_ptr<std::size_t> most = std::make_shared<std::size_t>(0);
};

// Where more at a time gain nothing, the first answers need not wait for a large batch.
TEST(SolveStreams, DecodeNoMoreAtATimeThanAreEnough) {
  const data::Vocabulary vocabulary;
  auto network =
      std::make_unique<Counted>(static_cast<std::size_t>(vocabulary.size()),
                                [](std::span<const data::Token>, std::span<const std::uint8_t>,
                                   std::span<float> logits) { std::ranges::fill(logits, 0.f); });
  const auto most = network->most;
  const LoadedModel model({.network = std::move(network)}, spec::ModelSettings(),
                          {.task = "planning", .length = 28}, vocabulary);
  SolveStream stream(model, early_stopping(), 64, [](const Solved&) {});
  for (const Example& example : planning_examples(40)) stream.add(example.input);
  stream.finish();
  EXPECT_LE(*most, kEnoughForAThread);
}

TEST(SolveStreams, ComputeEqualPuzzlesOnce) {
  const data::Vocabulary vocabulary;
  auto network =
      std::make_unique<Counted>(static_cast<std::size_t>(vocabulary.size()),
                                [](std::span<const data::Token>, std::span<const std::uint8_t>,
                                   std::span<float> logits) { std::ranges::fill(logits, 0.f); });
  const auto most = network->most;
  const LoadedModel model({.network = std::move(network)}, spec::ModelSettings(),
                          {.task = "planning", .length = 28}, vocabulary);
  std::vector<std::string> got;
  SolveStream stream(model, early_stopping(), 64,
                     [&](const Solved& solved) { got.push_back(solved.input); });
  std::vector<std::string> asked;
  for (int i = 0; i < 40; ++i) asked.push_back(planning_examples(1).front().input);
  asked.push_back(planning_examples(2).back().input);
  for (const std::string& puzzle : asked) stream.add(puzzle);
  stream.finish();
  EXPECT_EQ(got, asked);
  EXPECT_LE(*most, 2u);
}

// A puzzle that contradicts itself is nothing for the model, and does not stop the others.
TEST(SolveStreams, PassOverPuzzlesThatContradictThemselves) {
  const auto task = tasks::make_task("sudoku");
  std::vector<Example> examples;
  for (std::uint32_t i = 0; i < 4; ++i)
    examples.push_back(task->generate(0, tasks::Split::kTest, i));
  const LoadedModel model = scripted_model("sudoku", 164, examples);
  std::vector<std::string> puzzles;
  for (const Example& example : examples) puzzles.push_back(example.input);
  puzzles[0] = puzzles[2] = "55" + std::string(79, '.');
  const decoding::DecodingSettings settings = early_stopping();
  std::vector<Solved> got;
  {
    SolveStream stream(model, settings, 2, [&](const Solved& solved) { got.push_back(solved); });
    for (const std::string& puzzle : puzzles) stream.add(puzzle);
    stream.finish();
  }
  std::vector<std::size_t> watched;
  const std::vector<Solved> together =
      solve_all(model, puzzles, 0, settings, 2, [&](std::size_t puzzle, const StepText&) {
        watched.push_back(puzzle);
        return true;
      });
  for (const std::vector<Solved>* all : {&std::as_const(got), &together}) {
    ASSERT_EQ(all->size(), 4u);
    for (const std::size_t i : {0u, 2u}) {
      const Solved& solved = all->at(i);
      EXPECT_EQ(solved.text, "");
      EXPECT_FALSE(solved.asked || solved.check.right());
      EXPECT_EQ(solved.best.passes, 0);
      EXPECT_EQ(solved.check.faults.at(0).words,
                "the givens clash: row 1 has 5 twice (columns 1 and 2)");
    }
    for (const std::size_t i : {1u, 3u}) {
      EXPECT_TRUE(all->at(i).asked && all->at(i).check.right());
      EXPECT_EQ(all->at(i).text, examples[i].output);
    }
  }
  EXPECT_EQ(std::set<std::size_t>(watched.begin(), watched.end()), (std::set<std::size_t>{1, 3}));
  SolveStream full(model, settings, 2, [](const Solved&) { throw Error("the disk is full"); });
  full.add(puzzles[0]);
  EXPECT_THROW(full.finish(), Error);
}

TEST(SolveStreams, AnswerWhileTheNextPuzzleIsWaitedFor) {
  const auto examples = scripted(2);
  const LoadedModel model = scripted_model("planning", 28, examples);
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  SolveStream stream(model, early_stopping(), 64, [&](const Solved&) {
    const std::lock_guard lock(mutex);
    ++count;
    changed.notify_all();
  });
  stream.add(examples[0].input);
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return count == 1; }));
}

TEST(SolveStreams, HoldNoMoreThanAFewBatches) {
  const auto examples = scripted(40);
  const LoadedModel model = scripted_model("planning", 28, examples);
  std::size_t added = 0, taken = 0, most = 0;
  std::mutex mutex;
  SolveStream stream(model, early_stopping(), 2, [&](const Solved&) {
    const std::lock_guard lock(mutex);
    most = std::max(most, added - taken++);
  });
  for (const Example& example : examples) {
    stream.add(example.input);
    const std::lock_guard lock(mutex);
    ++added;
  }
  stream.finish();
  EXPECT_EQ(taken, 40u);
  EXPECT_LE(most, 9u);
}

// Bytes that are in memory now.
std::size_t resident() {
  std::size_t all = 0, here = 0;
  std::ifstream("/proc/self/statm") >> all >> here;
  return here * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Sanitizers keep what was given back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MGDM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MGDM_SANITIZED 1
#endif
#endif

// A million puzzles are ten thousand, a hundred times.
TEST(SolveStreams, DoNotGrowWithTheNumberOfPuzzles) {
  constexpr std::size_t kMany = 10'000;
  const auto examples = scripted(50);
  const LoadedModel model = scripted_model("planning", 28, examples);
  decoding::DecodingSettings settings = early_stopping();
  settings.steps = 1;
  std::size_t taken = 0;
  [[maybe_unused]] std::size_t before = 0;
  SolveStream stream(model, settings, 64, [&](const Solved&) {
    if (++taken == kMany / 10) before = resident();
  });
  for (std::size_t i = 0; i < kMany; ++i) stream.add(examples[i % examples.size()].input);
  stream.finish();
  EXPECT_EQ(taken, kMany);
#ifndef MGDM_SANITIZED
  // 9000 puzzles: of each, its text alone is 30 bytes and its row of tokens 112.
  EXPECT_LT(resident(), before + 500'000);
#endif
}

TEST(SolveStreams, TellWhatWentWrong) {
  const auto examples = scripted(5);
  const LoadedModel model = scripted_model("planning", 28, examples);
  {
    SolveStream stream(model, early_stopping(), 2, [](const Solved&) {});
    EXPECT_THROW(stream.add("no puzzle"), Error);
    stream.add(examples[0].input);
    stream.finish();  // does not wait for those
  }
  int taken = 0;
  SolveStream stream(model, early_stopping(), 2, [&](const Solved&) {
    if (++taken == 2) throw Error("the disk is full");
  });
  EXPECT_THROW(
      {
        for (const Example& example : examples) stream.add(example.input);
        stream.finish();
      },
      Error);
  EXPECT_EQ(taken, 2);
}

}  // namespace
}  // namespace mgdm::inference
