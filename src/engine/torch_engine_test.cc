#include "engine/torch_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "inference/trying.h"
#include "inference/voting.h"
#include "spec/model_settings.h"

namespace mgdm::engine {
namespace {

using decoding::Finished;
using decoding::Request;

std::shared_ptr<nn::Model> tiny_model(bool causal = false) {
  spec::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = 12;
  settings.dropout = 0;
  settings.causal = causal;
  return nn::make_model(settings, 7);
}

Request puzzle(std::uint32_t item, std::int64_t steps = 4, std::size_t length = 10) {
  Request request;
  request.puzzle.tokens.assign(length, 5 + item % 9);
  request.puzzle.frozen.assign(length, 0);
  for (std::size_t n = 0; n < 4; ++n) request.puzzle.frozen[n] = 1;
  request.puzzle.item = item;
  request.puzzle.settings.steps = steps;
  return request;
}

std::map<decoding::SlotId, Finished> all_of(inference::Engine& engine) {
  std::map<decoding::SlotId, Finished> all;
  while (engine.active() > 0)
    for (Finished& finished : engine.pass()) all.emplace(finished.slot, std::move(finished));
  return all;
}

TEST(TorchEngine, AnswersDoNotDependOnTheNeighbours) {
  const auto model = tiny_model();
  const auto together = torch_engine(model, /*bf16=*/false);
  std::map<decoding::SlotId, Request> asked;
  for (std::uint32_t item = 0; item < 6; ++item) {  // of two lengths and two numbers of steps
    const Request request = puzzle(item, item % 2 == 0 ? 4 : 6, item < 3 ? 10 : 8);
    asked.emplace(together->join(request), request);
  }
  const auto answers = all_of(*together);
  ASSERT_EQ(answers.size(), 6u);
  for (const auto& [slot, request] : asked) {
    const auto alone = torch_engine(model, false);
    alone->join(request);
    const Finished expected = all_of(*alone).begin()->second;
    EXPECT_EQ(answers.at(slot).first.tokens, expected.first.tokens);
    EXPECT_EQ(answers.at(slot).first.forward_passes, expected.first.forward_passes);
    EXPECT_FALSE(answers.at(slot).error);
  }
}

// As inference/voting.h has it: two forms that give another puzzle's answer outvote this one's.
TEST(TorchEngine, LetsViewsVote) {
  const auto model = tiny_model();
  const auto engine = inference::voting_engine(torch_engine(model, false));
  Request request = puzzle(1);
  const Request other = puzzle(2);
  data::View view{other.puzzle.tokens, other.puzzle.frozen, {}, {}};
  for (std::size_t n = 0; n < view.tokens.size(); ++n) view.places.push_back(n);
  for (data::Token v = 0; v < 31; ++v) view.names.push_back(v);
  const auto plain = engine->join(request);
  request.views = {view, view};
  const auto voted = engine->join(request);
  const auto answers = all_of(*engine);

  const auto alone = torch_engine(model, false);
  Request as_view = other;
  as_view.puzzle.item = request.puzzle.item;
  alone->join(as_view);
  std::vector<data::Token> expected = all_of(*alone).begin()->second.best.tokens;
  std::copy_n(request.puzzle.tokens.begin(), 4, expected.begin());  // what is given
  EXPECT_EQ(answers.at(voted).best.tokens, expected);
  EXPECT_NE(answers.at(plain).best.tokens, expected);
  EXPECT_EQ(answers.at(plain).best.forward_passes, 4);
  EXPECT_EQ(answers.at(voted).best.forward_passes, 12);
}

TEST(TorchEngine, ComputesInFp32OnTheCpuAndSaysSo) {
  EXPECT_EQ(torch_engine(tiny_model(), /*bf16=*/true)->arithmetic(), "fp32");
  EXPECT_THROW(load_torch_engine("nowhere", {}, {}, {.device = "cpu", .arithmetic = "int8"}),
               UsageError);
}

TEST(TorchEngine, RefusesAnArithmeticThatItDoesNotHave) {
  EXPECT_NO_THROW(check_arithmetic("auto", /*on_cpu=*/false));
  EXPECT_NO_THROW(check_arithmetic("fp32", /*on_cpu=*/true));
  for (const char* name : {"fp32", "bf16", "int8"})
    EXPECT_THROW(check_arithmetic(name, /*on_cpu=*/false), UsageError) << name;
  EXPECT_THROW(check_arithmetic("bf16", /*on_cpu=*/true), UsageError);
}

TEST(TorchEngine, ObserversEndAndFailTheirOwnPuzzleOnly) {
  const auto engine = torch_engine(tiny_model(), false);
  int seen = 0;
  Request watched = puzzle(1), failing = puzzle(2);
  watched.observer = [&](const decoding::Step& step) {
    EXPECT_EQ(step.tokens.size(), 10u);
    EXPECT_EQ(step.confidence[0], 1);
    return ++seen < 2;
  };
  watched.verified = [](auto) { return true; };  // of what was there when it ended
  failing.observer = [](const decoding::Step&) -> bool { throw Error("enough"); };
  const auto plain = engine->join(puzzle(0)), ended = engine->join(watched),
             failed = engine->join(failing);
  const auto answers = all_of(*engine);
  EXPECT_EQ(answers.at(plain).first.forward_passes, 4);
  EXPECT_EQ(answers.at(ended).first.forward_passes, 2);
  EXPECT_EQ(answers.at(ended).successful_try, 0);
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(answers.at(failed).error);
  EXPECT_FALSE(answers.at(plain).error);
}

// A puzzle with one open position is finished after one pass; the other takes four.
TEST(TorchEngine, ObserversHearOfTheirOwnPassesOnly) {
  const auto engine = torch_engine(tiny_model(), false);
  Request early = puzzle(1), late = puzzle(2);
  for (std::size_t n = 0; n + 1 < early.puzzle.frozen.size(); ++n) early.puzzle.frozen[n] = 1;
  std::vector<std::int64_t> of_early, of_late;
  early.observer = [&](const decoding::Step& step) { return of_early.push_back(step.pass), true; };
  late.observer = [&](const decoding::Step& step) { return of_late.push_back(step.pass), true; };
  const auto slot = engine->join(early);
  engine->join(late);
  EXPECT_EQ(all_of(*engine).at(slot).first.forward_passes, 1);
  EXPECT_EQ(of_early, std::vector<std::int64_t>{0});
  EXPECT_EQ(of_late, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

// As inference/trying.h has it.
TEST(TorchEngine, TriesUntilOneIsAccepted) {
  const auto engine = inference::trying_engine(torch_engine(tiny_model(), false));
  Request request = puzzle(3);
  request.puzzle.settings.tries = 5;
  std::vector<std::vector<data::Token>> tried;
  request.verified = [&](std::span<const data::Token> tokens) {
    tried.emplace_back(tokens.begin(), tokens.end());
    return tried.size() == 3;
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  request.observer = [&](const decoding::Step& step) {
    return seen.emplace_back(step.attempt, step.pass), true;
  };
  engine->join(request);
  const Finished finished = all_of(*engine).begin()->second;
  EXPECT_EQ(finished.successful_try, 2);
  EXPECT_EQ(finished.first.tokens, tried.at(0));
  EXPECT_EQ(finished.first.forward_passes, 4);
  EXPECT_EQ(finished.best.tokens, tried.at(2));
  EXPECT_EQ(finished.best.forward_passes, 12);
  ASSERT_EQ(seen.size(), 12u);
  for (std::int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], std::pair(i / 4, i % 4));
}

TEST(TorchEngine, AFailingVerifierEndsItsOwnPuzzleOnly) {
  const auto engine = torch_engine(tiny_model(), false);
  Request failing = puzzle(1), right = puzzle(2);
  failing.verified = [](auto) -> bool { throw Error("odd"); };
  right.verified = [](auto) { return true; };
  const auto failed = engine->join(failing), accepted = engine->join(right);
  const auto answers = all_of(*engine);
  EXPECT_TRUE(answers.at(failed).error);
  EXPECT_FALSE(answers.at(accepted).error);
  EXPECT_EQ(answers.at(accepted).successful_try, 0);
}

TEST(TorchEngine, ReadsFromLeftToRightAndForgetsTheCancelled) {
  const auto engine = torch_engine(tiny_model(/*causal=*/true), false);
  Request request = puzzle(1);
  request.puzzle.settings.decoder = spec::Decoder::kLeftToRight;
  const auto first = engine->join(request), second = engine->join(request);
  EXPECT_TRUE(engine->cancel(first));
  EXPECT_FALSE(engine->cancel(first));
  const auto answers = all_of(*engine);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_GE(answers.at(second).first.forward_passes, 1);
  for (const data::Token token : answers.at(second).first.tokens)
    EXPECT_NE(token, static_cast<data::Token>(data::kMask));
}

}  // namespace
}  // namespace mgdm::engine
