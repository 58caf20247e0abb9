#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tasks/countdown/generate.h"
#include "tasks/countdown/other_rules.h"
#include "tasks/countdown/problem.h"
#include "tasks/countdown/released.h"
#include "tasks/countdown/released_metric.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/search_task.h"
#include "tasks/countdown/verify.h"
#include "tasks/family.h"

namespace mgdm::tasks::countdown {
namespace {

class Countdown : public Task, public Views, public ReleasedData, public OtherRules {
 public:
  Countdown(int count, const Puzzles& puzzles) : count_(count), puzzles_(puzzles) {}

  std::string name() const override { return fmt::format("countdown-{}", count_); }

  std::string about() const override {
    return fmt::format("reach the target from {} numbers with + - * /, using each once", count_);
  }

  Abilities abilities() const override {
    return {.views = this,
            .released = is_released() ? this : nullptr,
            .other_rules = this,
            .traces = is_released() && has_traces(count_),
            .typed = "->"};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    return countdown::generate(random, count_, split, puzzles_);
  }

  std::unique_ptr<Released> released(Split split) const override {
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

  std::optional<std::string> solve_by(std::string_view input, const Rules& rules) const override {
    return countdown::solve_by(rules, parse_problem(input, count_));
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

constexpr std::array<std::pair<const char*, Labels>, 3> kLabels{
    {{"first", Labels::kFirst}, {"any", Labels::kAny}, {"smallest", Labels::kSmallest}}};

struct Options {
  std::int64_t largest = kLargestNumber;
  std::string labels = kLabels.front().first;

  void visit(config::Visitor& v) {
    std::vector<std::string> names;
    for (const auto& [name, chosen] : kLabels) names.emplace_back(name);
    v.field("largest", largest, "countdown: largest number that is drawn",
            config::range(10, kLargestNumber));
    v.field("labels", labels,
            "countdown: the label is the first solution of the paper's search, any solution, or "
            "the one with the smallest results",
            config::one_of(std::move(names)));
  }

  Puzzles puzzles() const {
    const auto* const label =
        std::ranges::find(kLabels, labels, [](const auto& each) { return each.first; });
    MGDM_CHECK(label != kLabels.end());
    return {static_cast<int>(largest), label->second};
  }
};

std::unique_ptr<Task> make(std::string_view task, const Options& options) {
  constexpr std::string_view kCountdown = "countdown-", kSearch = "search-", kOptimal = "optimal-";
  if (task.starts_with(kCountdown))
    return std::make_unique<Countdown>(number_after(kCountdown, task), options.puzzles());
  if (options.puzzles() != Puzzles{})
    throw UsageError(fmt::format("{} has no option largest or labels", task),
                     "these only with countdown-3 to countdown-6");
  if (task.starts_with(kSearch))
    return make_search_task(number_after(kSearch, task), Answer::kSearch);
  return make_search_task(number_after(kOptimal, task), Answer::kOptimalPath);
}

FaultWords faults_of(std::string_view task) {
  const int numbers = number_after(task.substr(0, task.find('-') + 1), task);
  FaultWords faults{{kNotAvailable, "target missed", "numbers left over", "malformed answer"},
                    {kPlanningError, kCalculationError},
                    numbers - 1};
  if (!task.starts_with("countdown")) faults.words.emplace_back("goal not reached");
  return faults;
}

Family countdown_family() {
  Family family{.name = "countdown", .tasks = {}, .faults = faults_of};
  for (int k = kMinNumbers; k <= kMaxNumbers; ++k)
    family.tasks.push_back(fmt::format("countdown-{}", k));
  for (const char* kind : {"search", "optimal"})
    for (int k = kMinNumbers; has_released(k); ++k)
      family.variants.push_back(fmt::format("{}-{}", kind, k));
  return with_options<Options>(std::move(family), [](std::string_view task, const Options& options,
                                                     bool) { return make(task, options); });
}

}  // namespace

const Family& family() {
  static const Family kFamily = countdown_family();
  return kFamily;
}

}  // namespace mgdm::tasks::countdown
