#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "inference/rotated_views.h"
#include "inference/solver.h"

namespace mgdm::inference {
namespace {

// As many tries as there are forms, unless another number is given.
Question verified(std::initializer_list<std::size_t> shifts, std::int64_t tries = 0) {
  Question question = asked(shifts);
  question.puzzle.settings.tries = tries > 0 ? tries : std::ssize(question.views) + 1;
  question.verified = [](std::span<const Token> tokens) {
    return std::ranges::equal(tokens, kAnswer);
  };
  return question;
}

Outcome answered(const Belief& belief, const Question& question) {
  const LoadedNetwork network = believing_network(belief);
  Solver solver(network);
  const auto slot = solver.join(question);
  const std::vector<Outcome> all = all_of(solver);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(0).id, slot);
  return all.at(0);
}

TEST(SolverTries, GoesFromFormToFormUntilOneIsRight) {
  const Outcome third = answered(right_in({2, 3}), verified({1, 2, 3}));
  EXPECT_EQ(third.best.tokens, kAnswer);
  EXPECT_EQ(third.successful_try, 2);
  EXPECT_EQ(third.best.passes, 12);
  EXPECT_EQ(third.first.passes, 4);
  EXPECT_NE(third.first.tokens, kAnswer);

  const Outcome at_once = answered(right_in({0}), verified({1, 2, 3}));
  EXPECT_EQ(at_once.successful_try, 0);
  EXPECT_EQ(at_once.best.passes, 4);
  EXPECT_EQ(at_once.first.tokens, kAnswer);

  const Outcome never = answered(right_in({5}), verified({1, 2, 3}));
  EXPECT_EQ(never.successful_try, -1);
  EXPECT_EQ(never.best.tokens, never.first.tokens);
  EXPECT_EQ(never.best.passes, 16);
}

TEST(SolverTries, TriesOnceWhereNothingVerifies) {
  const Outcome finished = answered(right_in({1, 2}), asked({}));
  EXPECT_EQ(finished.best.passes, 4);
  EXPECT_NE(finished.best.tokens, kAnswer);
  EXPECT_EQ(finished.successful_try, -1);
}

// Without chance a form gives one answer. With it, forms come again, in turns.
TEST(SolverTries, ComesBackToFormsWhereChanceDecides) {
  Question question = verified({1, 2}, 7);
  question.puzzle.settings.noise = 0;
  std::vector<std::size_t> right;
  const auto tries = [&] {
    const Outcome finished = answered(right_in(right), question);
    return std::pair(finished.best.passes / 4, finished.successful_try);
  };
  using Tries = std::pair<std::int64_t, std::int64_t>;
  right = {5};
  EXPECT_EQ(tries(), Tries(3, -1));
  question.puzzle.settings.noise = 1e-9;  // other draws, the same answers
  EXPECT_EQ(tries(), Tries(7, -1));
  right = {2};
  EXPECT_EQ(tries(), Tries(3, 2));
  question = verified({}, 4);  // itself alone
  question.puzzle.settings.noise = 1e-9;
  EXPECT_EQ(tries(), Tries(4, -1));
}

// Whatever the form, a try has draws of its own: those of the same number.
TEST(SolverTries, EveryTryDrawsItsOwn) {
  Question question = verified({1}, 4);
  question.verified = [](std::span<const Token>) { return false; };
  question.puzzle.settings.order = "random";
  std::vector<std::vector<Tokens>> seen(4);
  question.observer = [&](const decoding::Step& step) {
    seen.at(static_cast<std::size_t>(step.attempt))
        .emplace_back(step.tokens.begin(), step.tokens.end());
    return true;
  };
  answered(right_in({0, 1}), question);
  for (std::size_t k = 0; k < seen.size(); ++k)
    for (std::size_t j = 0; j < k; ++j) EXPECT_NE(seen[j], seen[k]) << j << " " << k;
}

TEST(SolverTries, ObserversSeeEveryTryInThePuzzlesOwnRow) {
  Question watched = verified({1, 3});
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  Tokens last;
  watched.observer = [&](const decoding::Step& step) {
    seen.emplace_back(step.attempt, step.pass);
    EXPECT_EQ(step.tokens[0], kAnswer[0]);
    // The network is equally sure of all it predicts, and of nothing that is given.
    for (std::size_t n = 1; n < step.confidence.size(); ++n)
      EXPECT_FLOAT_EQ(step.confidence[n], step.confidence[1]);
    EXPECT_NE(step.confidence[0], step.confidence[1]);
    last.assign(step.tokens.begin(), step.tokens.end());
    return true;
  };
  answered(right_in({1}), watched);
  ASSERT_EQ(seen.size(), 8u);
  EXPECT_EQ(seen[0], std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(seen[7], std::pair(std::int64_t{1}, std::int64_t{3}));
  EXPECT_EQ(last, kAnswer);

  std::int64_t passes = 0;
  watched.observer = [&](const decoding::Step&) { return ++passes < 6; };  // within the second try
  const Outcome ended = answered(right_in({3}), watched);
  EXPECT_EQ(passes, 6);
  EXPECT_EQ(ended.best.passes, 6);
  EXPECT_EQ(ended.successful_try, -1);
}

TEST(SolverTries, AnErrorEndsItsPuzzleAlone) {
  const LoadedNetwork network = believing_network(right_in({3}));
  Solver solver(network);
  Question bad = verified({1, 3});
  bad.observer = [](const decoding::Step& step) -> bool {
    if (step.attempt == 1) throw std::runtime_error("gone");
    return true;
  };
  solver.join(bad);
  const auto stays = solver.join(verified({1, 3}));
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].error);
  EXPECT_THROW(std::rethrow_exception(all[0].error), std::runtime_error);
  EXPECT_EQ(all[1].id, stays);
  EXPECT_EQ(all[1].best.tokens, kAnswer);
}

TEST(SolverTries, WhoIsCancelledIsGoneInAnyTry) {
  const LoadedNetwork network = believing_network(right_in({3}));
  Solver solver(network);
  const auto gone = solver.join(verified({1, 3}));
  const auto stays = solver.join(verified({3}));
  for (int pass = 0; pass < 6; ++pass) EXPECT_TRUE(solver.pass().empty());
  EXPECT_TRUE(solver.cancel(gone));
  EXPECT_FALSE(solver.cancel(gone));
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, stays);
  EXPECT_EQ(all[0].best.tokens, kAnswer);
}

}  // namespace
}  // namespace mgdm::inference
