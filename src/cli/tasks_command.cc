#include <fmt/format.h>

#include "cli/command.h"
#include "tasks/task.h"

namespace mgdm::cli {
namespace {

struct TasksSettings {
  void visit(config::Visitor&) {}
};

void run_tasks(const TasksSettings&) {
  for (const std::string& name : tasks::task_names()) {
    const auto task = tasks::make_task(name);
    const tasks::Example example = task->generate(/*seed=*/0, tasks::Split::kTest, /*item=*/0);
    fmt::print("{:<12} {}\n{:13}input   {}\n{:13}output  {}\n", name, task->about(), "",
               example.input, "", example.output);
  }
  for (const std::string& name : tasks::search_task_names())
    fmt::print("{:<12} {}\n", name, tasks::make_task(name)->about());
  fmt::print("\nmgdm generate TASK makes more of them; mgdm verify TASK checks answers.\n");
}

}  // namespace

Command tasks_command() {
  return make_command<TasksSettings>("tasks", "List the tasks with an example of each",
                                     "  mgdm tasks\n", {}, {}, run_tasks);
}

}  // namespace mgdm::cli
