#include "cli/fresh_puzzles.h"

#include <utility>

#include "base/error.h"

namespace mgdm::cli {
namespace {

bool have_room(const inference::Reasoner& reasoner, const std::vector<tasks::Example>& puzzles) {
  try {
    for (const tasks::Example& puzzle : puzzles) reasoner.rows().check_room(puzzle);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

FreshPuzzles fresh_puzzles(const inference::Reasoner& reasoner, std::uint64_t seed,
                           std::size_t count) {
  const std::string& name = reasoner.card().task;
  for (const tasks::TaskOptions& options : tasks::task_kinds(name)) {
    const auto task = tasks::make_task(name, options);
    std::vector<tasks::Example> puzzles;
    for (std::uint32_t item = 0; item < count; ++item)
      puzzles.push_back(task->generate(seed, tasks::Split::kTest, item));
    if (have_room(reasoner, puzzles)) return {task->about_and_details(), std::move(puzzles)};
  }
  throw Error(name + " has no puzzles with room in the model's rows");
}

}  // namespace mgdm::cli
