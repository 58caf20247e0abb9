#include "cli/fresh_puzzles.h"

#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

bool has_room(const inference::LoadedModel& model, const tasks::Example& puzzle) {
  try {
    model.rows().check_room(puzzle);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

FreshPuzzles fresh_puzzles(const inference::LoadedModel& model, std::uint64_t seed,
                           std::size_t count, bool quiet) {
  const std::string& name = model.card().task;
  for (const std::vector<std::string>& options : tasks::family_of(name).kinds) {
    const auto task = tasks::make_task(name, tasks::Options(options));
    FreshPuzzles fresh{task->about_and_details(), {}};
    Progress progress("making puzzles of " + name, count, quiet);
    while (fresh.examples.size() < count) {
      stop_if_interrupted();
      const auto item = static_cast<std::uint32_t>(fresh.examples.size());
      tasks::Example puzzle = task->generate(seed, tasks::Split::kTest, item);
      if (!has_room(model, puzzle)) break;
      fresh.examples.push_back(std::move(puzzle));
      progress.add(1);
    }
    if (fresh.examples.size() == count) return fresh;
  }
  throw Error(name + " has no puzzles with room in the model's rows");
}

}  // namespace mgdm::cli
