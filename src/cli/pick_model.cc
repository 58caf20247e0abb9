#include "cli/pick_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "tasks/task.h"

namespace mgdm::cli {
namespace {

bool takes(const DemoModel& model, const std::string& puzzle) {
  try {
    tasks::make_task(model.config.about.card->task)->normalize_input(puzzle);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string pick_model(std::span<const DemoModel> models, const std::string& puzzle) {
  std::vector<std::string> folders, names, all;
  for (const DemoModel& model : models) {
    all.push_back(model.name);
    if (!takes(model, puzzle)) continue;
    folders.push_back(model.folder);
    names.push_back(model.name);
  }
  if (all.empty()) throw UsageError("there is no model at hand", "--model FOLDER");
  if (folders.empty())
    throw Error(fmt::format("no model at hand takes the puzzle {}", in_quotes(puzzle)),
                "a puzzle for " + joined_or(all),
                "mgdm tasks shows one of each, --model NAME tells what is wrong");
  if (folders.size() > 1)
    throw UsageError(
        fmt::format("{} take the puzzle {}", fmt::join(names, " and "), in_quotes(puzzle)),
        "--model " + joined_or(names));
  return folders.front();
}

}  // namespace mgdm::cli
