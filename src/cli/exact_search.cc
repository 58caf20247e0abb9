#include "cli/exact_search.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "cli/pick_model.h"
#include "tasks/all_tasks.h"
#include "tasks/sat/formula.h"
#include "tasks/score.h"

namespace mgdm::cli {

std::unique_ptr<tasks::Task> task_of_puzzle(const std::string& puzzle) {
  check_typed(puzzle);
  if (tasks::sat::is_dimacs(puzzle)) return tasks::make_task("sat");
  std::unique_ptr<tasks::Task> found;
  for (const std::string& name : tasks::task_names()) {
    auto task = tasks::make_task(name);
    const auto unfamiliar = attempt(
        [&] { return std::optional(task->unfamiliar(task->normalize_input(puzzle)).has_value()); },
        [](const Error&) { return std::optional<bool>(); });
    if (!unfamiliar) continue;
    if (!*unfamiliar) return task;
    if (!found) found = std::move(task);
  }
  if (found) return found;
  throw Error(fmt::format("no task takes the puzzle {}", in_quotes(puzzle)),
              "a puzzle for " + joined_or(tasks::task_names()),
              "mgdm tasks shows one puzzle of each task");
}

std::string rules_to_try(const tasks::Task& task, const tasks::Rules& rules) {
  if (task.abilities().other_rules == nullptr || (rules.fractions && rules.unused)) return "";
  return fmt::format("; try: {}", rules.fractions ? "--unused"
                                  : rules.unused  ? "--fractions"
                                                  : "--fractions or --unused");
}

inference::Solved solve_exactly(const tasks::Task& task, const std::string& input,
                                const tasks::Rules& rules) {
  const bool own_rules = rules == tasks::Rules{};
  const tasks::OtherRules* const other = task.abilities().other_rules;
  if (!own_rules && other == nullptr)
    throw UsageError("--fractions or --unused with the task " + task.name(),
                     tasks::tasks_with(&tasks::Abilities::other_rules));
  inference::Solved solved;
  solved.input = input;
  const auto answer = own_rules ? task.solve(input) : other->solve_by(input, rules);
  solved.text = solved.first.text = solved.best.text = answer.value_or("");
  if (!answer)
    solved.check = {tasks::Check::Result::kWrong,
                    {{"no solution", 0, rules.fractions ? "no solution" : task.no_solution()}}};
  else if (own_rules)
    solved.check = tasks::check(task, {input, ""}, *answer);
  else
    solved.check.result = tasks::Check::Result::kRight;
  return solved;
}

}  // namespace mgdm::cli
