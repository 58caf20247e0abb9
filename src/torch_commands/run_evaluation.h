// The periodic evaluation of a training run.
#pragma once

#include <vector>

#include "data/prepare_data.h"
#include "inference/loaded_model.h"
#include "spec/recipe.h"
#include "tasks/task.h"
#include "training/run_folder.h"

namespace mgdm::torch_commands {

class RunEvaluation {
 public:
  // Evaluates on the recipe's files. Without files the first puzzles of the test split count, or
  // the held-out examples if the task cannot generate puzzles. Errors that would occur later are
  // thrown now: puzzles that do not fit, impossible settings. Recipe and model must outlive it.
  RunEvaluation(const spec::Recipe& recipe, const data::PreparedData& data,
                const inference::LoadedModel& model, bool quiet);

  // Empty without puzzles.
  training::Metrics operator()() const;

 private:
  const spec::Recipe& recipe_;
  const inference::LoadedModel& model_;
  std::vector<tasks::Example> puzzles_;
  const bool quiet_;
};

}  // namespace mgdm::torch_commands
