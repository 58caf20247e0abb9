#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "inference/rotated_views.h"
#include "inference/solver.h"

namespace mgdm::inference {
namespace {

TEST(SolverVotes, TheFirstOfThoseThatComeMostOften) {
  const Tokens a{1}, b{2}, c{3};
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, c}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, c, b}), 1u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, b, a}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{c, b, b, a, a}), 1u);
}

TEST(SolverVotes, TwoThatAgreeOutvoteOthersThatDoNot) {
  const auto solved = [](const Belief& belief, std::initializer_list<std::size_t> shifts) {
    const LoadedNetwork network = believing_network(belief);
    Solver solver(network);
    solver.join(asked(shifts));
    return all_of(solver).at(0).best.tokens == kAnswer;
  };
  EXPECT_TRUE(solved(right_in({0}), {}));
  EXPECT_FALSE(solved(right_in({1, 3}), {}));
  EXPECT_FALSE(solved(right_in({1, 3}), {1}));  // one each: the puzzle as it was posed
  EXPECT_TRUE(solved(right_in({1, 3}), {1, 3}));
  EXPECT_TRUE(solved(right_in({1, 3}), {1, 2, 3}));
  EXPECT_FALSE(solved(right_in({3}), {1, 2, 3}));
}

TEST(SolverVotes, SaysHowManyAgreed) {
  const auto votes = [](std::vector<std::size_t> right, std::initializer_list<std::size_t> shifts) {
    const LoadedNetwork network = believing_network(right_in(std::move(right)));
    Solver solver(network);
    Question question = asked(shifts);
    question.puzzle.settings.symmetries = 9;
    solver.join(question);
    return all_of(solver).at(0).votes;
  };
  EXPECT_EQ(votes({0}, {}), (Votes{9, 1, 1}));
  EXPECT_EQ(votes({0, 1, 2, 3}, {1, 2, 3}), (Votes{9, 4, 4}));
  EXPECT_EQ(votes({1, 3}, {1, 2, 3}), (Votes{9, 4, 2}));
  EXPECT_EQ(votes({1}, {1}), (Votes{9, 2, 1}));
}

TEST(SolverVotes, CountsThePassesOfAllViews) {
  const LoadedNetwork network = believing_network(right_in({0, 1, 2, 3}));
  Solver solver(network);
  solver.join(asked({}));
  solver.join(asked({1, 2, 3}));
  EXPECT_EQ(solver.active(), 2u);
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].best.passes, 4);
  for (const Answer& answer : {all[1].first, all[1].best}) {
    EXPECT_EQ(answer.passes, 16);
    EXPECT_EQ(answer.tokens, kAnswer);
  }
  EXPECT_EQ(all[1].successful_try, -1);
}

// The givens of a view are those of another puzzle: only answers are compared.
TEST(SolverVotes, DoesNotCompareWhatIsGiven) {
  Question question = asked({1, 3});
  for (data::View& view : question.views)
    for (std::size_t n = 0; n < view.tokens.size(); ++n)
      if (view.frozen[n]) view.tokens[n] = 11;
  const LoadedNetwork network = believing_network(right_in({1, 3}));
  Solver solver(network);
  solver.join(question);
  EXPECT_EQ(all_of(solver).at(0).best.tokens, kAnswer);
}

TEST(SolverVotes, ObserversSeeThePuzzleAsItWasPosedAndMayEndIt) {
  const LoadedNetwork network = believing_network(right_in({1, 3}));
  Solver solver(network);
  solver.join(asked({}));  // so that slots differ from those of the engine below
  solver.join(asked({1, 3}));
  std::vector<std::int64_t> passes;
  Question watched = asked({1, 3});
  watched.observer = [&](const decoding::Step& step) {
    passes.push_back(step.pass);
    return true;
  };
  solver.join(watched);
  Question ended = asked({1, 3});
  ended.observer = [](const decoding::Step& step) { return step.pass == 0; };
  solver.join(ended);
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(passes, (std::vector<std::int64_t>{0, 1, 2, 3}));
  const Outcome& first = all[0];
  EXPECT_EQ(first.id, 3u);
  EXPECT_EQ(first.best.passes, 6);  // two of each view
  EXPECT_GT(decoding::count_of(data::kMask, first.best.tokens), 0u);
  EXPECT_EQ(all.back().id, 2u);
  EXPECT_EQ(all.back().best.tokens, kAnswer);
  EXPECT_EQ(all.back().best.passes, 12);
}

TEST(SolverVotes, AnErrorEndsItsPuzzleAlone) {
  const LoadedNetwork network = believing_network(right_in({0, 1, 3}));
  Solver solver(network);
  Question bad = asked({1, 3});
  bad.observer = [](const decoding::Step&) -> bool { throw std::runtime_error("gone"); };
  solver.join(bad);
  solver.join(asked({1, 3}));
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].error);
  EXPECT_EQ(all[0].id, 0u);
  EXPECT_THROW(std::rethrow_exception(all[0].error), std::runtime_error);
  EXPECT_FALSE(all[1].error);
  EXPECT_EQ(all[1].best.tokens, kAnswer);
}

TEST(SolverVotes, WhoIsCancelledTakesItsViewsAlong) {
  const LoadedNetwork network = believing_network(right_in({0, 1, 3}));
  Solver solver(network);
  const auto gone = solver.join(asked({1, 3}));
  const auto stays = solver.join(asked({1, 3}));
  EXPECT_TRUE(solver.pass().empty());
  EXPECT_TRUE(solver.cancel(gone));
  EXPECT_FALSE(solver.cancel(gone));
  const std::vector<Outcome> all = all_of(solver);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, stays);
  EXPECT_FALSE(solver.cancel(stays));
  // Nothing is left of a puzzle that cannot join.
  Question odd = asked({1});
  odd.puzzle.settings.order = "best";
  EXPECT_THROW(solver.join(odd), UsageError);
  EXPECT_EQ(solver.active(), 0u);
  EXPECT_TRUE(solver.pass().empty());
}

}  // namespace
}  // namespace mgdm::inference
