#include "cli/pick_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formats/sudoku_record.h"
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

// How unlike the puzzles of a task a text is: first by how many of its characters do not belong to
// them, then by how much longer or shorter it is.
std::pair<std::ptrdiff_t, double> unlikeness(const tasks::Task& task, std::string_view text) {
  const std::string example = task.generate(/*seed=*/0, tasks::Split::kTest, /*item=*/0).input;
  std::string known = example + "0123456789 \t\r\n";
  if (task.abilities().sudoku_files) known.append(formats::kSudokuBlanks).append("|+-=");
  const auto is_strange = [&](char c) { return known.find(c) == std::string::npos; };
  return {std::ranges::count_if(text, is_strange),
          std::abs(std::log(static_cast<double>(text.size() + 1) /
                            static_cast<double>(example.size() + 1)))};
}

// What is wrong with a text that no task takes, as the task says whose puzzles are most like it; if
// it is like none, all tasks are named.
Error no_puzzle(const std::vector<std::string>& tasks, const std::string& text) {
  const auto by_name = [&](const std::string& name) {
    return unlikeness(*tasks::make_task(name), text);
  };
  const std::string& nearest = *std::ranges::min_element(tasks, {}, by_name);
  const std::string seen = fmt::format("no model at hand takes the puzzle {}", in_quotes(text));
  const std::string hint = "mgdm tasks shows one puzzle of each task";
  const Error of_all(seen, "a puzzle for " + joined_or(tasks), hint);
  if (by_name(nearest).first > 0) return of_all;
  return attempt(
      [&] {
        tasks::make_task(nearest)->normalize_input(text);
        return of_all;  // the task takes it, but none of its models does
      },
      [&](const Error& error) {
        return Error(fmt::format("{}\n  as one of {}: {}", seen, nearest, error.seen()),
                     error.expected(), hint);
      });
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
  if (found.empty()) throw no_puzzle(tasks, puzzle);
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const DemoModel* model : found) names.push_back(model->name);
    throw UsageError(fmt::format("{} take the puzzle {}", joined_and(names), in_quotes(puzzle)),
                     "--model " + joined_or(names));
  }
  return found.front()->folder;
}

}  // namespace mgdm::cli
