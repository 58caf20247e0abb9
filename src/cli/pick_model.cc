#include "cli/pick_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/text.h"
#include "inference/load_network.h"
#include "inference/models.h"
#include "spec/kinds.h"
#include "spec/model_card.h"
#include "spec/tensors.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/search.h"
#include "tasks/sat/generate.h"

namespace mgdm::cli {
namespace {

// All models with a model card that this program can run. Folders that cannot be read are skipped.
std::vector<DemoModel> all_models() {
  std::vector<DemoModel> models;
  for (const auto& [name, folder] : inference::named_models()) {
    try {
      DemoModel model{name, folder, model_files::read_config(folder)};
      if (model.config.about.card && !model.config.alphabet.empty() &&
          inference::can_run(model.config.settings))
        models.push_back(std::move(model));
    } catch (const Error&) {
      continue;
    }
  }
  return models;
}

bool left_to_right(const DemoModel& model) {
  return spec::objective_kind(model.config.about.card->objective).decoder ==
         decoding::Decoder::kLeftToRight;
}

std::int64_t size_of(const DemoModel& model) {
  return spec::parameter_count(model.config.settings);
}

bool has_room(const inference::LoadedModel& model, const tasks::Example& puzzle) {
  try {
    model.rows().check_room(puzzle);
  } catch (const Error&) {
    return false;
  }
  return true;
}

Error no_model(const tasks::Task& task, const std::vector<std::string>& others,
               const std::string& puzzle) {
  const auto right = task.solve(task.normalize_input(puzzle));
  return Error(fmt::format("{} is a puzzle of {}, and no model found here answers these{}",
                           in_quotes(puzzle), task.name(),
                           right ? "\n  right, by exact search: " + *right : ""),
               "a puzzle for " + joined_or(others),
               "--exact, which searches without a model, or train one (docs/training.md)");
}

// How unlike the puzzles of a task a text is: first by how many of its characters do not belong to
// them, then by how much longer or shorter it is.
std::pair<std::ptrdiff_t, double> unlikeness(const tasks::Task& task, std::string_view text) {
  const std::string example = task.generate(/*seed=*/0, tasks::Split::kTest, /*item=*/0).input;
  std::string known = example + "0123456789 \t\r\n";
  known.append(task.abilities().typed);
  const auto is_strange = [&](char c) { return known.find(c) == std::string::npos; };
  return {std::ranges::count_if(text, is_strange),
          std::abs(std::log(static_cast<double>(text.size() + 1) /
                            static_cast<double>(example.size() + 1)))};
}

// The error for a text that no task takes: that of the task with the most similar puzzles, or one
// that names all tasks.
Error no_puzzle(const std::vector<const tasks::Task*>& tasks, const std::string& names,
                const std::string& text) {
  constexpr std::ptrdiff_t kOneIn = 10;  // so many characters may be slips
  const auto unlike = [&](const tasks::Task* task) { return unlikeness(*task, text); };
  const tasks::Task& nearest = **std::ranges::min_element(tasks, {}, unlike);
  const std::string seen = fmt::format("no model at hand takes the puzzle {}", in_quotes(text));
  const std::string hint = "mgdm tasks shows one puzzle of each task";
  const Error of_all(seen, "a puzzle for " + names, hint);
  if (kOneIn * unlike(&nearest).first > std::ssize(text)) return of_all;
  return attempt(
      [&] {
        nearest.normalize_input(text);
        return of_all;  // the task takes it, but none of its models does
      },
      [&](const Error& error) {
        return Error(fmt::format("{}\n  read as {}: {}", seen, nearest.name(), error.seen()),
                     error.expected(), hint);
      });
}

}  // namespace

std::vector<DemoModel> diffusion_models() {
  std::vector<DemoModel> all = all_models();
  std::erase_if(all, left_to_right);
  std::ranges::stable_sort(all, std::ranges::greater{}, size_of);
  std::vector<DemoModel> models;
  for (const std::string& task : tasks::task_names())
    std::ranges::copy_if(all, std::back_inserter(models), [&](const DemoModel& model) {
      return model.config.about.card->task == task;
    });
  return models;
}

std::vector<DemoModel> models_to_watch() {
  std::vector<DemoModel> models = diffusion_models();
  const auto same_task = [](const DemoModel& one, const DemoModel& other) {
    return one.config.about.card->task == other.config.about.card->task;
  };
  models.erase(std::unique(models.begin(), models.end(), same_task), models.end());
  return models;
}

std::vector<DemoPair> pairs_to_compare() {
  const std::vector<DemoModel> models = all_models();
  std::vector<DemoPair> pairs;
  for (const DemoModel& one : models) {
    if (!left_to_right(one)) continue;
    const auto same = std::ranges::find_if(models, [&](const DemoModel& other) {
      return !left_to_right(other) &&
             other.config.about.card->task == one.config.about.card->task &&
             other.config.about.card->length == one.config.about.card->length &&
             size_of(other) == size_of(one);
    });
    if (same != models.end()) pairs.push_back({one, *same});
  }
  return pairs;
}

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

void check_typed(const std::string& puzzle) {
  if (tasks::countdown::lacks_target(puzzle))
    throw Error(fmt::format("{} has no target", in_quotes(puzzle)), "numbers, then their target",
                "Game of 24? add 24, or --target 24");
  const bool numbers = puzzle.find_first_not_of("0123456789, ") == puzzle.npos;
  if (numbers && puzzle.size() < 10 && split(tasks::countdown::with_commas(puzzle), ',').size() < 3)
    throw Error(fmt::format("{} is no puzzle", in_quotes(puzzle)),
                "three to six numbers and their target, or another puzzle",
                "mgdm tasks shows one puzzle of each task");
}

Fit fit(const tasks::Task& task, const std::string& puzzle) {
  return attempt(
      [&] {
        const std::string input = task.normalize_input(puzzle);
        if (task.unfamiliar(input)) return Fit::kAnotherSize;
        const tasks::Padding* const padding = task.abilities().padding;
        return padding != nullptr && padding->padded(input) ? Fit::kPadded : Fit::kFits;
      },
      [](const Error&) { return Fit::kNone; });
}

ModelPicker::ModelPicker(std::vector<DemoModel> models) : models_(std::move(models)) {
  for (const DemoModel& model : models_)
    tasks_.push_back({spec::task_of(*model.config.about.card), &model});
  for (const std::string& name : tasks::task_names()) {
    const auto same = [&](const Task& task) { return task.task->name() == name; };
    if (std::ranges::none_of(tasks_, same)) tasks_.push_back({tasks::make_task(name), nullptr});
  }
}

const DemoModel& ModelPicker::pick(const std::string& puzzle) {
  check_typed(puzzle);
  if (models_.empty())
    throw Error("no model was found", "--model FOLDER",
                "MGDM_MODELS=FOLDER names a folder of models");
  if (last_ != nullptr && fit(*last_->task, puzzle) == Fit::kFits) return *last_->model;
  Fit best = Fit::kNone;
  std::vector<const Task*> found;  // those that fit best
  for (const Task& task : tasks_) {
    if (task.model == nullptr) continue;
    const Fit here = fit(*task.task, puzzle);
    if (here > best) found.clear();
    best = std::max(best, here);
    const auto same = [&](const Task* other) { return other->task->name() == task.task->name(); };
    if (here != Fit::kNone && here == best && std::ranges::none_of(found, same))
      found.push_back(&task);
  }
  if (best != Fit::kFits) refuse(puzzle, best);
  if (found.size() > 1 && std::ranges::count(found, last_) == 0) {
    std::vector<std::string> names;
    for (const Task* task : found) names.push_back(task->model->name);
    throw Error(fmt::format("{} take the puzzle {}", joined_and(names), in_quotes(puzzle)),
                "--model " + joined_or(names));
  }
  if (found.size() == 1) last_ = found.front();
  return *last_->model;
}

// Throws the error for a puzzle that fits none of the models well, unless one takes it best of all.
void ModelPicker::refuse(const std::string& puzzle, Fit best) const {
  std::error_code no_file;
  if (best == Fit::kNone && std::filesystem::is_regular_file(puzzle, no_file))
    throw UsageError(fmt::format("{} is a file", in_quotes(puzzle)), "a puzzle",
                     "--input " + puzzle);
  std::vector<std::string> names;
  std::vector<const tasks::Task*> tasks;
  for (const Task& task : tasks_)
    if (task.model != nullptr && !contains(names, task.task->name())) {
      names.push_back(task.task->name());
      tasks.push_back(task.task.get());
    }
  const tasks::Task* better = nullptr;
  for (const Task& task : tasks_)
    if (task.model == nullptr)
      if (const Fit here = fit(*task.task, puzzle); here > best) {
        best = here;
        better = task.task.get();
      }
  if (better != nullptr) throw no_model(*better, names, puzzle);
  if (best == Fit::kNone) throw no_puzzle(tasks, joined_or(names), puzzle);
}

std::string pick_model(std::span<const DemoModel> models, const formats::Cnf& formula,
                       const std::string& file) {
  std::vector<std::string> sizes;
  const DemoModel* roomy = nullptr;
  for (const DemoModel& model : models) {
    const auto task = spec::task_of(*model.config.about.card);
    const auto variables = task->abilities().variables;
    if (!variables) continue;
    const Fit here = fit(*task, formats::write_dimacs(formula));
    if (here == Fit::kFits && variables == formula.variables) return model.folder;
    if (here >= Fit::kPadded) roomy = &model;
    const std::string size = fmt::format("{} variables and {} clauses", *variables,
                                         tasks::sat::clause_count(*variables));
    if (!contains(sizes, size)) sizes.push_back(size);
  }
  // Models answer padded formulas the better, the larger the formulas that they learned.
  if (roomy != nullptr) return roomy->folder;
  throw Error(fmt::format("{}no model here takes the formula of {} variables and {} clauses",
                          at(file, 0), formula.variables, formula.size()),
              sizes.empty() ? "a model that was trained on a sat task"
                            : fmt::format("at most {}, in clauses of one to three literals",
                                          joined_or(sizes)),
              "--exact, which searches without a model");
}

}  // namespace mgdm::cli
