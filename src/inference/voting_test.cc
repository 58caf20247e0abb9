#include "inference/voting.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "inference/rotated_views.h"

namespace mgdm::inference {
namespace {

std::unique_ptr<Engine> voting_on(const Belief& belief) {
  return voting_engine(believing_engine(belief));
}

TEST(Voting, TheFirstOfThoseThatComeMostOften) {
  const Tokens a{1}, b{2}, c{3};
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, c}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, c, b}), 1u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{a, b, b, a}), 0u);
  EXPECT_EQ(most_agreed(std::vector<Tokens>{c, b, b, a, a}), 1u);
}

TEST(Voting, TwoThatAgreeOutvoteOthersThatDoNot) {
  const auto solved = [](const Belief& belief, std::initializer_list<std::size_t> shifts) {
    const auto engine = voting_on(belief);
    engine->join(asked(shifts));
    return all_of(*engine).at(0).best.tokens == kAnswer;
  };
  EXPECT_TRUE(solved(right_in({0}), {}));
  EXPECT_FALSE(solved(right_in({1, 3}), {}));
  EXPECT_FALSE(solved(right_in({1, 3}), {1}));  // one each: the puzzle as it was posed
  EXPECT_TRUE(solved(right_in({1, 3}), {1, 3}));
  EXPECT_TRUE(solved(right_in({1, 3}), {1, 2, 3}));
  EXPECT_FALSE(solved(right_in({3}), {1, 2, 3}));
}

TEST(Voting, SaysHowManyAgreed) {
  const auto votes = [](std::vector<std::size_t> right, std::initializer_list<std::size_t> shifts) {
    const auto engine = voting_on(right_in(std::move(right)));
    Request request = asked(shifts);
    request.puzzle.settings.symmetries = 9;
    engine->join(request);
    return all_of(*engine).at(0).votes;
  };
  EXPECT_EQ(votes({0}, {}), (decoding::Votes{9, 1, 1}));
  EXPECT_EQ(votes({0, 1, 2, 3}, {1, 2, 3}), (decoding::Votes{9, 4, 4}));
  EXPECT_EQ(votes({1, 3}, {1, 2, 3}), (decoding::Votes{9, 4, 2}));
  EXPECT_EQ(votes({1}, {1}), (decoding::Votes{9, 2, 1}));
}

TEST(Voting, CountsThePassesOfAllViews) {
  const auto engine = voting_on(right_in({0, 1, 2, 3}));
  engine->join(asked({}));
  engine->join(asked({1, 2, 3}));
  EXPECT_EQ(engine->active(), 2u);
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].best.forward_passes, 4);
  for (const decoding::Answer& answer : {all[1].first, all[1].best}) {
    EXPECT_EQ(answer.forward_passes, 16);
    EXPECT_EQ(answer.tokens, kAnswer);
  }
  EXPECT_EQ(all[1].successful_try, -1);
}

// What is given in a view is another puzzle's; only answers are compared.
TEST(Voting, DoesNotCompareWhatIsGiven) {
  Request request = asked({1, 3});
  for (data::View& view : request.views)
    for (std::size_t n = 0; n < view.tokens.size(); ++n)
      if (view.frozen[n]) view.tokens[n] = 11;
  const auto engine = voting_on(right_in({1, 3}));
  engine->join(request);
  EXPECT_EQ(all_of(*engine).at(0).best.tokens, kAnswer);
}

TEST(Voting, ObserversSeeThePuzzleAsItWasPosedAndMayEndIt) {
  const auto engine = voting_on(right_in({1, 3}));
  engine->join(asked({}));  // so that slots differ from those of the engine below
  engine->join(asked({1, 3}));
  std::vector<std::int64_t> passes;
  Request watched = asked({1, 3});
  watched.observer = [&](const decoding::Step& step) {
    EXPECT_EQ(step.slot, 2u);
    passes.push_back(step.pass);
    return true;
  };
  engine->join(watched);
  Request ended = asked({1, 3});
  ended.observer = [](const decoding::Step& step) { return step.pass == 0; };
  engine->join(ended);
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(passes, (std::vector<std::int64_t>{0, 1, 2, 3}));
  const Finished& first = all[0];
  EXPECT_EQ(first.slot, 3u);
  EXPECT_EQ(first.best.forward_passes, 6);  // two of each view
  EXPECT_GT(decoding::count_of(data::kMask, first.best.tokens), 0u);
  EXPECT_EQ(all.back().slot, 2u);
  EXPECT_EQ(all.back().best.tokens, kAnswer);
  EXPECT_EQ(all.back().best.forward_passes, 12);
}

TEST(Voting, AnErrorEndsItsPuzzleAlone) {
  const auto engine = voting_on(right_in({0, 1, 3}));
  Request bad = asked({1, 3});
  bad.observer = [](const decoding::Step&) -> bool { throw std::runtime_error("gone"); };
  engine->join(bad);
  engine->join(asked({1, 3}));
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].error);
  EXPECT_EQ(all[0].slot, 0u);
  EXPECT_THROW(std::rethrow_exception(all[0].error), std::runtime_error);
  EXPECT_FALSE(all[1].error);
  EXPECT_EQ(all[1].best.tokens, kAnswer);
}

TEST(Voting, WhoIsCancelledTakesItsViewsAlong) {
  const auto engine = voting_on(right_in({0, 1, 3}));
  const auto gone = engine->join(asked({1, 3}));
  const auto stays = engine->join(asked({1, 3}));
  EXPECT_TRUE(engine->pass().empty());
  EXPECT_TRUE(engine->cancel(gone));
  EXPECT_FALSE(engine->cancel(gone));
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].slot, stays);
  EXPECT_FALSE(engine->cancel(stays));
  // Nothing is left of a puzzle that cannot join.
  Request odd = asked({1});
  odd.puzzle.settings.order = "best";
  EXPECT_THROW(engine->join(odd), UsageError);
  EXPECT_EQ(engine->active(), 0u);
  EXPECT_TRUE(engine->pass().empty());
}

}  // namespace
}  // namespace mgdm::inference
