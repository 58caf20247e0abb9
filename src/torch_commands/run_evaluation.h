// The evaluation that a training run makes now and then.
#pragma once

#include <vector>

#include "inference/loaded_model.h"
#include "spec/recipe.h"
#include "tasks/task.h"
#include "training/run_folder.h"

namespace mgdm::torch_commands {

class RunEvaluation {
 public:
  // On the puzzles that the recipe names, or the head of the task's own test split. What would stop
  // it later is refused now: puzzles without room, settings that do not go together. Both must
  // outlive it.
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
