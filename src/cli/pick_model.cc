#include "cli/pick_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "spec/model_card.h"

namespace mgdm::cli {
namespace {

enum class Fit { kNone, kAnotherSize, kFits };

Fit fit(const DemoModel& model, const std::string& puzzle) {
  try {
    const auto task = spec::task_of(*model.config.about.card);
    return task->unfamiliar(task->normalize_input(puzzle)) ? Fit::kAnotherSize : Fit::kFits;
  } catch (const Error&) {
    return Fit::kNone;
  }
}

}  // namespace

std::string pick_model(std::span<const DemoModel> models, const std::string& puzzle) {
  if (models.empty()) throw UsageError("there is no model at hand", "--model FOLDER");
  Fit best = Fit::kNone;
  std::vector<const DemoModel*> found;  // the first of each task that fits best
  std::vector<std::string> tasks;
  for (const DemoModel& model : models) {
    const std::string& task = model.config.about.card->task;
    if (!contains(tasks, task)) tasks.push_back(task);
    const Fit here = fit(model, puzzle);
    if (here > best) found.clear();
    best = std::max(best, here);
    if (here == Fit::kNone || here < best) continue;
    const auto same = [&](const DemoModel* other) {
      return other->config.about.card->task == task;
    };
    if (std::ranges::none_of(found, same)) found.push_back(&model);
  }
  std::error_code no_file;
  if (found.empty() && std::filesystem::is_regular_file(puzzle, no_file))
    throw UsageError(fmt::format("{} is a file", in_quotes(puzzle)), "a puzzle",
                     "--input " + puzzle);
  if (found.empty())
    throw Error(fmt::format("no model at hand takes the puzzle {}", in_quotes(puzzle)),
                "a puzzle for " + joined_or(tasks),
                "mgdm tasks shows one of each, --model NAME tells what is wrong");
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const DemoModel* model : found) names.push_back(model->name);
    throw UsageError(fmt::format("{} take the puzzle {}", joined_and(names), in_quotes(puzzle)),
                     "--model " + joined_or(names));
  }
  return found.front()->folder;
}

}  // namespace mgdm::cli
