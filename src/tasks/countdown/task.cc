#include "tasks/countdown/task.h"

#include <fmt/format.h>

#include <span>

#include "base/text.h"
#include "tasks/countdown/generate.h"
#include "tasks/countdown/problem.h"
#include "tasks/countdown/released.h"
#include "tasks/countdown/released_metric.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/verify.h"

namespace mgdm::tasks::countdown {
namespace {

class Countdown : public Task {
 public:
  Countdown(int count, const Puzzles& puzzles) : count_(count), puzzles_(puzzles) {}

  std::string name() const override { return fmt::format("countdown-{}", count_); }

  std::string about() const override {
    return fmt::format("reach the target from {} numbers with + - * /, using each once", count_);
  }

  Abilities abilities() const override {
    return {.views = true, .released = is_released(), .traces = is_released()};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    return countdown::generate(random, count_, split, puzzles_);
  }

  std::unique_ptr<Released> released(Split split) const override {
    if (!is_released()) return Task::released(split);
    return make_released(count_, split);
  }

  std::string normalize_input(std::string_view text) const override {
    return render(parse_problem(with_commas(text), count_));
  }

  std::string no_solution() const override { return kNoneInWholeNumbers; }

  std::optional<std::string> unfamiliar(std::string_view input) const override {
    return never_drawn(parse_problem(input, count_), puzzles_);
  }

  std::optional<std::string> solve(std::string_view input) const override {
    const Problem problem = parse_problem(input, count_);
    const auto solution = first_solution(problem.numbers, problem.target);
    if (!solution) return std::nullopt;
    return render(*solution);
  }

  // The numbers may stand in any order.
  View view(std::string_view input, Stream& random) const override {
    Problem problem = parse_problem(input, count_);
    random.shuffle(std::span(problem.numbers));
    return {render(problem)};
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    const Problem problem = parse_problem(example.input, count_);
    // A puzzle without a label still names its target at the end of the input.
    const std::string_view label =
        example.output.empty()
            ? std::string_view(example.input).substr(example.input.rfind(',') + 1)
            : std::string_view(example.output);
    return {correct(problem, answer), correct_as_released(label, answer)};
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    return countdown::explain(parse_problem(example.input, count_), answer);
  }

 private:
  bool is_released() const { return has_released(count_) && puzzles_ == Puzzles{}; }

  const int count_;
  const Puzzles puzzles_;
};

}  // namespace

std::unique_ptr<Task> make_countdown(int count, const Puzzles& puzzles) {
  return std::make_unique<Countdown>(count, puzzles);
}

}  // namespace mgdm::tasks::countdown
