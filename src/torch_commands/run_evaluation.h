// The periodic evaluation of a training run.
#pragma once

#include <vector>

#include "inference/loaded_model.h"
#include "spec/recipe.h"
#include "tasks/task.h"
#include "training/run_folder.h"

namespace mgdm::torch_commands {

class RunEvaluation {
 public:
  // Evaluates on the recipe's puzzles, or the first of the task's test split. Errors that would
  // occur later are thrown now: puzzles that do not fit, impossible settings. Both must outlive it.
  RunEvaluation(const spec::Recipe& recipe, const tasks::Task& task,
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
