#include <fmt/format.h>

#include "cli/command.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

struct TasksSettings {
  std::string task;
  void visit(config::Visitor& v) { v.field("task", task, "show only this task (empty = all)"); }
};

void print(const tasks::Task& task) {
  const tasks::Example example = task.generate(/*seed=*/0, tasks::Split::kTest, /*item=*/0);
  fmt::print("{:<12} {}\n{:13}input   {}\n{:13}output  {}\n", task.name(), task.about_and_details(),
             "", example.input, "", example.output);
}

void print_line(const std::string& variant) {
  fmt::print("{:<12} {}\n", variant, tasks::make_task(variant)->about());
}

void run_tasks(const TasksSettings& settings) {
  if (!settings.task.empty() && contains(tasks::variant_names(), settings.task))
    return print_line(settings.task);
  if (!settings.task.empty()) return print(*tasks::make_task(settings.task));
  for (const std::string& name : tasks::task_names()) print(*tasks::make_task(name));
  for (const std::string& name : tasks::variant_names()) print_line(name);
  fmt::print("\nmgdm generate TASK makes more of them; mgdm verify TASK checks answers.\n");
}

}  // namespace

Command tasks_command() {
  return make_command<TasksSettings>("tasks", "List the tasks with an example of each",
                                     "  mgdm tasks\n  mgdm tasks sudoku\n", {"task"}, {},
                                     run_tasks);
}

}  // namespace mgdm::cli
