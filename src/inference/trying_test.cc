#include "inference/trying.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "inference/rotated_views.h"

namespace mgdm::inference {
namespace {

std::unique_ptr<Engine> trying_on(const Belief& belief) {
  return trying_engine(believing_engine(belief));
}

// As many tries as there are forms, unless another number is given.
Request verified(std::initializer_list<std::size_t> shifts, std::int64_t tries = 0) {
  Request request = asked(shifts);
  request.puzzle.settings.tries = tries > 0 ? tries : std::ssize(request.views) + 1;
  request.verified = [](std::span<const Token> tokens) {
    return std::ranges::equal(tokens, kAnswer);
  };
  return request;
}

Finished answered(const Belief& belief, const Request& request) {
  const auto engine = trying_on(belief);
  const auto slot = engine->join(request);
  const std::vector<Finished> all = all_of(*engine);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(0).slot, slot);
  return all.at(0);
}

TEST(Trying, GoesFromFormToFormUntilOneIsRight) {
  const Finished third = answered(right_in({2, 3}), verified({1, 2, 3}));
  EXPECT_EQ(third.best.tokens, kAnswer);
  EXPECT_EQ(third.successful_try, 2);
  EXPECT_EQ(third.best.forward_passes, 12);
  EXPECT_EQ(third.first.forward_passes, 4);
  EXPECT_NE(third.first.tokens, kAnswer);

  const Finished at_once = answered(right_in({0}), verified({1, 2, 3}));
  EXPECT_EQ(at_once.successful_try, 0);
  EXPECT_EQ(at_once.best.forward_passes, 4);
  EXPECT_EQ(at_once.first.tokens, kAnswer);

  const Finished never = answered(right_in({5}), verified({1, 2, 3}));
  EXPECT_EQ(never.successful_try, -1);
  EXPECT_EQ(never.best.tokens, never.first.tokens);
  EXPECT_EQ(never.best.forward_passes, 16);
}

TEST(Trying, TriesOnceWhereNothingVerifies) {
  const Finished finished = answered(right_in({1, 2}), asked({}));
  EXPECT_EQ(finished.best.forward_passes, 4);
  EXPECT_NE(finished.best.tokens, kAnswer);
  EXPECT_EQ(finished.successful_try, -1);
}

// Without chance a form gives one answer. With it, forms come again, in turns.
TEST(Trying, ComesBackToFormsWhereChanceDecides) {
  Request request = verified({1, 2}, 7);
  request.puzzle.settings.noise = 0;
  std::vector<std::size_t> right;
  const auto tries = [&] {
    const Finished finished = answered(right_in(right), request);
    return std::pair(finished.best.forward_passes / 4, finished.successful_try);
  };
  using Tries = std::pair<std::int64_t, std::int64_t>;
  right = {5};
  EXPECT_EQ(tries(), Tries(3, -1));
  request.puzzle.settings.noise = 1e-9;  // other draws, the same answers
  EXPECT_EQ(tries(), Tries(7, -1));
  right = {2};
  EXPECT_EQ(tries(), Tries(3, 2));
  request = verified({}, 4);  // itself alone
  request.puzzle.settings.noise = 1e-9;
  EXPECT_EQ(tries(), Tries(4, -1));
}

// Whatever the form, a try has draws of its own: those of the same number.
TEST(Trying, EveryTryDrawsItsOwn) {
  Request request = verified({1}, 4);
  request.verified = [](std::span<const Token>) { return false; };
  request.puzzle.settings.order = "random";
  std::vector<std::vector<Tokens>> seen(4);
  request.observer = [&](const decoding::Step& step) {
    seen.at(static_cast<std::size_t>(step.attempt))
        .emplace_back(step.tokens.begin(), step.tokens.end());
    return true;
  };
  answered(right_in({0, 1}), request);
  for (std::size_t k = 0; k < seen.size(); ++k)
    for (std::size_t j = 0; j < k; ++j) EXPECT_NE(seen[j], seen[k]) << j << " " << k;
}

TEST(Trying, ObserversSeeEveryTryInThePuzzlesOwnRow) {
  Request watched = verified({1, 3});
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
  const Finished ended = answered(right_in({3}), watched);
  EXPECT_EQ(passes, 6);
  EXPECT_EQ(ended.best.forward_passes, 6);
  EXPECT_EQ(ended.successful_try, -1);
}

TEST(Trying, AnErrorEndsItsPuzzleAlone) {
  const auto engine = trying_on(right_in({3}));
  Request bad = verified({1, 3});
  bad.observer = [](const decoding::Step& step) -> bool {
    if (step.attempt == 1) throw std::runtime_error("gone");
    return true;
  };
  engine->join(bad);
  const auto stays = engine->join(verified({1, 3}));
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].error);
  EXPECT_THROW(std::rethrow_exception(all[0].error), std::runtime_error);
  EXPECT_EQ(all[1].slot, stays);
  EXPECT_EQ(all[1].best.tokens, kAnswer);
}

TEST(Trying, WhoIsCancelledIsGoneInAnyTry) {
  const auto engine = trying_on(right_in({3}));
  const auto gone = engine->join(verified({1, 3}));
  const auto stays = engine->join(verified({3}));
  for (int pass = 0; pass < 6; ++pass) EXPECT_TRUE(engine->pass().empty());
  EXPECT_TRUE(engine->cancel(gone));
  EXPECT_FALSE(engine->cancel(gone));
  const std::vector<Finished> all = all_of(*engine);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].slot, stays);
  EXPECT_EQ(all[0].best.tokens, kAnswer);
}

}  // namespace
}  // namespace mgdm::inference
