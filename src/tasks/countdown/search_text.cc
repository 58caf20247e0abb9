#include "tasks/countdown/search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "tasks/countdown/released_metric.h"

namespace mgdm::tasks::countdown {
namespace {

constexpr std::string_view kState = "Current State: ", kOperations = "], Operations: [",
                           kExploring = "Exploring Operation: ",
                           kResulting = ", Resulting Numbers: [", kGoal = " equal: Goal Reached";

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Where the first line "digits,digits equal: Goal Reached" begins, and what follows its words.
struct Goal {
  std::size_t begin = 0;
  std::string_view after;
};

std::optional<Goal> find_goal(std::string_view text) {
  for (std::size_t at = text.find(kGoal); at != std::string_view::npos;
       at = text.find(kGoal, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::size_t comma = before.rfind(',');
    if (comma == std::string_view::npos || !all_digits(before.substr(comma + 1))) continue;
    std::size_t begin = comma;
    while (begin > 0 && before[begin - 1] >= '0' && before[begin - 1] <= '9') --begin;
    if (begin == comma) continue;
    return Goal{begin, text.substr(at + kGoal.size())};
  }
  return std::nullopt;
}

// The operations that lead to the goal, as they are written; none without a goal.
std::optional<std::vector<std::string>> operations_before(std::string_view text) {
  std::vector<std::string> operations;
  const std::size_t state = text.rfind(kOperations), exploring = text.rfind(kExploring);
  if (state == std::string_view::npos || exploring == std::string_view::npos) return std::nullopt;
  std::string_view list = text.substr(state + kOperations.size());
  const std::size_t close = list.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  list = list.substr(0, close);
  while (true) {
    const std::size_t comma = list.find(", ");
    std::string operation(list.substr(0, comma));
    std::erase(operation, '\'');
    operations.push_back(std::move(operation));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 2);
  }
  std::string_view last = text.substr(exploring + kExploring.size());
  const std::size_t end = last.find(kResulting);
  if (end == std::string_view::npos) return std::nullopt;
  operations.emplace_back(last.substr(0, end));
  return operations;
}

// "Current State: 28:[32, 4], ..." says this puzzle.
bool begins_with(std::string_view text, const Problem& problem) {
  return text.starts_with(
      fmt::format("{}{}:[{}]", kState, problem.target, joined_by(problem.numbers, ", ")));
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++count;
  return count;
}

// The numbers on the left side, as a search for digits finds them.
std::vector<std::string_view> numbers_in(std::string_view text) {
  std::vector<std::string_view> numbers;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > i) numbers.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return numbers;
}

}  // namespace

int most_operations(int count) { return count == 3 ? 48 : count == 4 ? 1152 : 46080; }

std::string found_solution(std::string_view text) {
  const auto goal = find_goal(text);
  if (!goal || !trim(goal->after).empty()) return "";
  const auto operations = operations_before(text.substr(0, goal->begin));
  if (!operations) return "";
  return joined_by(*operations, ",");
}

bool search_correct_as_released(const Problem& problem, std::string_view text) {
  const std::string_view trimmed = trim(text);
  const auto goal = find_goal(trimmed);
  if (!begins_with(trimmed, problem) || !goal) return false;
  const auto operations = operations_before(trimmed.substr(0, goal->begin));
  if (!operations) return false;
  std::vector<Number> available = problem.numbers;
  Number last = 0;
  for (const std::string& operation : *operations) {
    const std::size_t equals = operation.find('=');
    if (equals == std::string::npos || operation.find('=', equals + 1) != std::string::npos)
      return false;
    const std::string_view left = std::string_view(operation).substr(0, equals);
    const std::string_view right = std::string_view(operation).substr(equals + 1);
    const auto result = parse_int(right);
    const auto computed = evaluate_python(left);
    if (!result || !computed) return false;
    if (computed->is_int ? computed->integer != *result
                         : computed->real != static_cast<double>(*result))
      return false;
    for (const std::string_view number : numbers_in(left)) {
      const auto used = parse_int(number);
      if (!used || std::find(available.begin(), available.end(), *used) == available.end())
        return false;
    }
    available.push_back(*result);
    last = *result;
  }
  const std::size_t explored = 1 + count_of("Exploring Operation", trimmed);
  return last == problem.target &&
         explored <
             static_cast<std::size_t>(most_operations(static_cast<int>(problem.numbers.size())));
}

std::string optimal_path(const Problem& problem, const std::vector<Equation>& solution,
                         Twins twins) {
  std::vector<Number> numbers = problem.numbers;
  std::string explored;
  std::string text;
  const auto state = [&] {
    text += fmt::format("Current State: {}:[{}], Operations: [{}]\n", problem.target,
                        joined_by(numbers, ", "), explored);
  };
  state();
  int node = 1;
  for (const Equation& equation : solution) {
    for (const Number used : {equation.x, equation.y}) {
      const auto first = std::find(numbers.begin(), numbers.end(), used);
      if (twins == Twins::kOneGoes && first != numbers.end()) numbers.erase(first);
    }
    if (twins == Twins::kAllGo)
      std::erase_if(numbers, [&](Number n) { return n == equation.x || n == equation.y; });
    numbers.push_back(equation.z);
    const std::string operation = render(equation);
    text += fmt::format("Exploring Operation: {}, Resulting Numbers: [{}]\n", operation,
                        joined_by(numbers, ", "));
    if (numbers.size() == 1) {
      text += fmt::format("{},{} equal: Goal Reached\n", numbers[0], problem.target);
      continue;
    }
    text += fmt::format("Generated Node #{}: [{}] from Operation: {}\n", ++node,
                        joined_by(numbers, ", "), operation);
    explored += fmt::format("{}'{}'", explored.empty() ? "" : ", ", operation);
    state();
  }
  return text;
}

}  // namespace mgdm::tasks::countdown
