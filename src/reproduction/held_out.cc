#include "reproduction/held_out.h"

#include <algorithm>

#include "tasks/task.h"

namespace mgdm::reproduction {
namespace {

// Whether planning puzzles with so many nodes have room in a row, beside the two marks in it.
bool have_room(std::int64_t length, int nodes) {
  const auto task = tasks::make_task("planning", {.nodes = nodes});
  constexpr std::uint32_t kSome = 20;
  std::size_t longest = 0;
  for (std::uint32_t i = 0; i < kSome; ++i) {
    const tasks::Example puzzle = task->generate(0, tasks::Split::kTest, i);
    longest = std::max(longest, puzzle.input.size() + puzzle.output.size() + 2);
  }
  return static_cast<std::int64_t>(longest) <= length;
}

std::int64_t nodes_of(const ShippedModel& model) {
  for (const tasks::TaskOptions& kind : tasks::task_kinds("planning"))
    if (kind.nodes && have_room(model.length, *kind.nodes)) return *kind.nodes;
  return tasks::kDefaultNodes;
}

}  // namespace

std::vector<HeldOut> held_out_of(const ShippedModel& model, std::int64_t count) {
  TestSet test{.task = model.task, .from = TestSet::From::kGenerated, .count = count};
  if (model.task == "planning") test.nodes = nodes_of(model);
  if (model.task != "sudoku") return {{model.name, test}};
  test.difficulty = "hard";
  TestSet hard = test;
  hard.guesses = "10..";
  return {{model.name + ", random minimal", test}, {model.name + ", 10 guesses or more", hard}};
}

}  // namespace mgdm::reproduction
