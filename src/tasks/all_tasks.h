// Every task by its name, and the options of all of them.
//
//   const auto task = make_task("sudoku", {"difficulty=hard", "guesses=10.."});
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "tasks/family.h"
#include "tasks/task.h"

namespace mgdm::tasks {

// The options that the families declare, each under its own name. Giving a task an option of
// another family is a UsageError in make_task; a default counts as not given.
class Options {
 public:
  Options();  // the defaults
  // "nodes=4"; UsageError for an unknown name or a value that is not allowed.
  Options(std::initializer_list<std::string_view> assignments);
  explicit Options(std::span<const std::string> assignments);

  void visit(config::Visitor& v);

  // The options that are not at their defaults, as assignments.
  std::vector<std::string> chosen() const;
  // All options of a task's family, as assignments.
  std::vector<std::string> of_task(std::string_view task) const;

  bool operator==(const Options& other) const { return chosen() == other.chosen(); }

 private:
  friend std::unique_ptr<Task> make_task(std::string_view, const Options&, bool);

  std::vector<std::any> values_;  // by family
};

// UsageError with the nearest valid name when there is no such task. `learned`: the options are
// those of puzzles that a model has learned, so puzzles of another kind are unfamiliar to it.
std::unique_ptr<Task> make_task(std::string_view name, const Options& options = {},
                                bool learned = false);

// Every task that can be generated, except variants: "planning", "countdown-3", ...
std::vector<std::string> task_names();

// Variants: countdown by the text of a search ("search-4", "optimal-4"), and SAT formulas of any
// size ("sat"), which cannot be generated.
std::vector<std::string> variant_names();

// The tasks that can do something under default options, for people: "planning, sudoku or sat-5".
//
//   tasks_with(&Abilities::views)
std::string tasks_with(const std::function<bool(const Abilities&)>& can);

// The output written backwards, and back again. UsageError where the task is not reversible.
std::string reversed_output(const Task& task, std::string_view output);

// The family that a task belongs to. UsageError as in make_task.
const Family& family_of(std::string_view name);

}  // namespace mgdm::tasks
