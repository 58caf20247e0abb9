#include "tasks/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/countdown/problem.h"
#include "tasks/countdown/search_task.h"
#include "tasks/countdown/task.h"
#include "tasks/planning/task.h"
#include "tasks/released.h"
#include "tasks/sat/task.h"
#include "tasks/sudoku/task.h"

namespace mgdm::tasks {
namespace {

constexpr std::array<std::pair<std::string_view, Labels>, 3> kLabels{{
    {kDefaultLabels, Labels::kFirst},
    {"any", Labels::kAny},
    {"smallest", Labels::kSmallest},
}};

// "countdown-4" with prefix "countdown-" and range 3..6 gives 4.
std::optional<int> numbered(std::string_view name, std::string_view prefix, int low, int high) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = parse_int(name.substr(prefix.size()));
  if (!number || *number < low || *number > high) return std::nullopt;
  return static_cast<int>(*number);
}

std::unique_ptr<Task> find_task(std::string_view name, const TaskOptions& options) {
  if (name == "planning") return planning::make_planning(options.nodes);
  if (const auto k = numbered(name, "countdown-", countdown::kMinNumbers, countdown::kMaxNumbers))
    return countdown::make_countdown(
        *k, {options.largest.value_or(kDefaultLargest), options.labels.value_or(Labels::kFirst)});
  if (const auto k = numbered(name, "search-", 3, 5))
    return countdown::make_search_task(*k, countdown::Answer::kSearch);
  if (const auto k = numbered(name, "optimal-", 3, 5))
    return countdown::make_search_task(*k, countdown::Answer::kOptimalPath);
  if (name == "sudoku")
    return sudoku::make_sudoku(options.difficulty.value_or(Difficulty::kEasy), options.guesses);
  if (const auto n = numbered(name, "sat-", 5, 9)) return sat::make_sat(*n);
  if (name == "sat") return sat::make_sat_any();
  return nullptr;
}

}  // namespace

std::unique_ptr<Released> Task::released(Split) const {
  throw UsageError(
      fmt::format("the released data of {} cannot be made again", name()),
      "planning with 6 nodes; countdown-3, -4 or -5 with numbers up to 99 and labels=first");
}

Example Task::augment(const Example&, Stream&) const {
  throw UsageError(name() + " has no symmetries to augment by", "planning, sudoku or sat-N");
}

View Task::view(std::string_view, Stream&) const {
  throw UsageError(name() + " has no symmetries to decode by",
                   "planning, countdown-K, sudoku or sat-N");
}

std::string Task::reversed_output(std::string_view) const {
  throw UsageError(name() + " has no reverse order", "planning");
}

std::optional<Guesses> parse_guesses(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view part, std::int64_t otherwise) {
    const auto value = part.empty() ? std::optional(otherwise) : parse_int(part);
    if (!value || *value < 0)
      throw UsageError(fmt::format("guesses {}", in_quotes(text)), "10.. or 5..9 or 7");
    return static_cast<std::uint64_t>(*value);
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (dots == std::string_view::npos) return Guesses{number(text, 0), number(text, 0)};
  const Guesses range{number(text.substr(0, dots), 0), number(text.substr(dots + 2), kMost)};
  if (range.low > range.high)
    throw UsageError(fmt::format("guesses {}", in_quotes(text)), "the smaller number first: 5..9");
  return range;
}

std::vector<std::string> label_names() {
  std::vector<std::string> names;
  for (const auto& [name, labels] : kLabels) names.emplace_back(name);
  return names;
}

TaskOptions task_options(std::int64_t nodes, std::string_view difficulty, std::string_view guesses,
                         std::int64_t largest, std::string_view labels) {
  TaskOptions options;
  if (nodes != kDefaultNodes) options.nodes = static_cast<int>(nodes);
  if (difficulty != kDefaultDifficulty) options.difficulty = Difficulty::kHard;
  options.guesses = parse_guesses(guesses);
  if (largest != kDefaultLargest) options.largest = static_cast<int>(largest);
  const auto label = std::ranges::find(kLabels, labels, [](const auto& l) { return l.first; });
  if (label == kLabels.end())
    throw UsageError(fmt::format("labels {}", in_quotes(labels)), joined_or(label_names()));
  if (labels != kDefaultLabels) options.labels = label->second;
  return options;
}

std::unique_ptr<Task> make_task(std::string_view name, const TaskOptions& options) {
  std::unique_ptr<Task> task = find_task(name, options);
  if (!task) {
    std::vector<std::string> names = task_names();
    for (std::string& more : search_task_names()) names.push_back(std::move(more));
    throw UsageError(fmt::format("unknown task {}", in_quotes(name)),
                     joined_or(names) + " (and 'sat' for DIMACS of any size)",
                     did_you_mean(name, names));
  }
  const auto refuse = [&](const char* what, const char* expected, const std::string& none) {
    throw UsageError(fmt::format("{} {}", name, what), expected,
                     fmt::format("{}, the default", none));
  };
  const bool countdown = name.starts_with("countdown-");
  if (options.nodes && name != "planning")
    refuse("has no number of nodes", "nodes only with planning",
           fmt::format("nodes={}", kDefaultNodes));
  if (options.difficulty && name != "sudoku")
    refuse("has no difficulty", "a difficulty only with sudoku",
           fmt::format("difficulty={}", kDefaultDifficulty));
  if (options.guesses && name != "sudoku")
    refuse("has no guesses", "guesses only with sudoku", "guesses=");
  if (options.largest && !countdown)
    refuse("has no largest number", "a largest number only with countdown",
           fmt::format("largest={}", kDefaultLargest));
  if (options.labels && !countdown)
    refuse("has one label for a puzzle", "other labels only with countdown",
           fmt::format("labels={}", kDefaultLabels));
  return task;
}

std::vector<TaskOptions> task_kinds(std::string_view name) {
  if (name == "sudoku") return {{.difficulty = Difficulty::kHard}, {}};
  if (name != "planning") return {{}};
  std::vector<TaskOptions> sizes;
  for (int nodes = kDefaultNodes; nodes >= 3; --nodes) sizes.push_back({.nodes = nodes});
  return sizes;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names{"planning"};
  for (int k = countdown::kMinNumbers; k <= countdown::kMaxNumbers; ++k)
    names.push_back(fmt::format("countdown-{}", k));
  names.emplace_back("sudoku");
  for (int n = 5; n <= 9; ++n) names.push_back(fmt::format("sat-{}", n));
  return names;
}

std::vector<std::string> search_task_names() {
  std::vector<std::string> names;
  for (const char* kind : {"search", "optimal"})
    for (int k = 3; k <= 5; ++k) names.push_back(fmt::format("{}-{}", kind, k));
  return names;
}

Stream item_stream(std::uint64_t seed, Split split, std::uint32_t item) {
  return {seed, Purpose::kGenerate, item, split == Split::kTest ? 1u : 0u};
}

bool in_test_split(std::string_view canonical_form) {
  return stable_hash(canonical_form) % 10 == 0;
}

}  // namespace mgdm::tasks
