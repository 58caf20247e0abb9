#include "torch_commands/run_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/progress.h"
#include "data/examples_file.h"
#include "evaluation/evaluate.h"
#include "inference/solve.h"
#include "tasks/released.h"

namespace mgdm::torch_commands {
namespace {

std::vector<tasks::Example> puzzles_of(const spec::Recipe& recipe, const data::PreparedData& data) {
  const tasks::Task& task = *data.task;
  std::vector<tasks::Example> puzzles;
  const auto count = static_cast<std::size_t>(recipe.evaluation.count);
  for (const std::string& file : recipe.evaluation.files)
    for (auto& located : data::read_examples(file, task, formats::keys_of(recipe.data.keys)))
      if (count == 0 || puzzles.size() < count) puzzles.push_back(std::move(located.example));
  if (!recipe.evaluation.files.empty() || count == 0) return puzzles;
  if (!task.abilities().generates) {
    puzzles = data.held_out_texts;
    puzzles.resize(std::min(puzzles.size(), count));
  } else if (recipe.data.as_released && task.abilities().released) {
    puzzles = tasks::released_test(task, count);
  } else {
    for (std::uint32_t i = 0; i < count; ++i)
      puzzles.push_back(
          task.generate(static_cast<std::uint64_t>(recipe.seed), tasks::Split::kTest, i));
  }
  return puzzles;
}

}  // namespace

RunEvaluation::RunEvaluation(const spec::Recipe& recipe, const data::PreparedData& data,
                             const inference::LoadedModel& model, bool quiet)
    : recipe_(recipe), model_(model), puzzles_(puzzles_of(recipe, data)), quiet_(quiet) {
  for (const tasks::Example& puzzle : puzzles_) model.rows().check_room(puzzle);
  if (puzzles_.empty()) return;
  // Left to right an untrained network may go on to the end of a long row: one token will do.
  if (recipe.model.causal)
    inference::solve(model, puzzles_.front().input, /*item=*/0, recipe.decoding,
                     [](const inference::StepText&) { return false; });
  else
    evaluation::evaluate(model, std::span(puzzles_).first(1), recipe.decoding, 1);
}

training::Metrics RunEvaluation::operator()() const {
  if (puzzles_.empty()) return {};
  Progress progress("evaluating " + recipe_.task, puzzles_.size(), quiet_);
  const auto result = evaluation::evaluate(
      model_, puzzles_, recipe_.decoding, recipe_.evaluation.batch,
      [&](std::size_t examples) { progress.add(examples); }, 60 * recipe_.evaluation.minutes);
  training::Metrics metrics;
  metrics.emplace_back("accuracy", result.score.all.accuracy());
  if (const auto paper = result.score.all.accuracy_paper())
    metrics.emplace_back("accuracy_paper", *paper);
  metrics.emplace_back("forward_passes", result.forward_passes);
  metrics.emplace_back("samples_per_second", result.samples_per_second);
  if (recipe_.decoding.tries > 1)
    metrics.emplace_back("accuracy_best_of_tries", result.best.all.accuracy());
  for (const auto& [distance, tally] : result.score.by_planning_distance)
    metrics.emplace_back(fmt::format("accuracy_distance_{}", distance), tally.accuracy());
  // The time was over before all were done.
  if (result.score.all.n < puzzles_.size())
    metrics.emplace_back("puzzles", static_cast<double>(result.score.all.n));
  return metrics;
}

}  // namespace mgdm::torch_commands
