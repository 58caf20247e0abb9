#include "tasks/countdown/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "tasks/countdown/search.h"

namespace mgdm::tasks::countdown {
namespace {

constexpr Number kLeastTarget = 10, kLargestTarget = 100;

using Targets = std::array<Number, 9>;

// The targets that the paper's released test files hold out. Six numbers, which the paper does not
// have, hold out the same as five.
constexpr Targets kHeldOut3{22, 24, 25, 30, 32, 50, 65, 67, 96};
constexpr Targets kHeldOut4{14, 39, 41, 57, 62, 81, 87, 89, 96};
constexpr Targets kHeldOut5{43, 48, 51, 68, 73, 80, 92, 95, 98};

const Targets& held_out(int count) {
  return count == 3 ? kHeldOut3 : count == 4 ? kHeldOut4 : kHeldOut5;
}

std::vector<Number> make_targets(int count, Split split) {
  const Targets& test = held_out(count);
  if (split == Split::kTest) return {test.begin(), test.end()};
  std::vector<Number> train;
  for (Number target = kLeastTarget; target <= kLargestTarget; ++target)
    if (std::find(test.begin(), test.end(), target) == test.end()) train.push_back(target);
  return train;
}

bool is_game_of_24(const Problem& problem) {
  return problem.target == 24 && problem.numbers.size() == 4 &&
         *std::max_element(problem.numbers.begin(), problem.numbers.end()) <= 13;
}

std::optional<std::vector<Equation>> label_of(const Problem& problem, Labels labels,
                                              Stream& random) {
  switch (labels) {
    case Labels::kFirst:
      return first_solution(problem.numbers, problem.target);
    case Labels::kAny:
      return any_solution(problem.numbers, problem.target, random);
    case Labels::kSmallest:
      return smallest_solution(problem.numbers, problem.target);
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Number>& targets(int count, Split split) {
  static const auto all = [] {
    std::array<std::array<std::vector<Number>, 2>, kMaxNumbers + 1> table;
    for (int k = kMinNumbers; k <= kMaxNumbers; ++k)
      for (const Split s : {Split::kTrain, Split::kTest})
        table[static_cast<std::size_t>(k)][static_cast<std::size_t>(s)] = make_targets(k, s);
    return table;
  }();
  MGDM_CHECK(count >= kMinNumbers && count <= kMaxNumbers);
  return all[static_cast<std::size_t>(count)][static_cast<std::size_t>(split)];
}

Example generate(Stream& random, int count, Split split, const Puzzles& puzzles) {
  const std::vector<Number>& allowed = targets(count, split);
  Problem problem;
  const auto draw_target = [&] {
    problem.target = allowed[random.below(static_cast<std::uint32_t>(allowed.size()))];
  };
  draw_target();
  problem.numbers.resize(static_cast<std::size_t>(count));
  while (true) {
    for (Number& number : problem.numbers) number = random.between(1, puzzles.largest);
    if (is_game_of_24(problem)) {
      draw_target();
      continue;
    }
    if (const auto solution = label_of(problem, puzzles.labels, random))
      return {render(problem), render(*solution)};
  }
}

std::optional<std::string> never_drawn(const Problem& problem, const Puzzles& puzzles) {
  std::vector<std::string> beyond;
  for (const Number number : problem.numbers)
    if ((number < 1 || number > puzzles.largest) && !contains(beyond, std::to_string(number)))
      beyond.push_back(std::to_string(number));
  if (problem.target < kLeastTarget || problem.target > kLargestTarget)
    beyond.push_back(fmt::format("the target {}", problem.target));
  if (beyond.empty()) return std::nullopt;
  return fmt::format("{} {} beyond the numbers 1..{} and the targets {}..{}", joined_and(beyond),
                     beyond.size() == 1 ? "is" : "are", puzzles.largest, kLeastTarget,
                     kLargestTarget);
}

}  // namespace mgdm::tasks::countdown
