// Picks the model that answers a puzzle when --model is not given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/dimacs.h"
#include "inference/loaded_model.h"
#include "model_files/checkpoint_config.h"
#include "tasks/task.h"

namespace mgdm::cli {

// The models that `demo` shows and that `solve` chooses from.
struct DemoModel {
  std::string name, folder;
  model_files::CheckpointConfig config;
};

// All models except left-to-right ones, in the order of the tasks; for each task the largest first.
std::vector<DemoModel> diffusion_models();

// The first of diffusion_models() for each task.
std::vector<DemoModel> models_to_watch();

// A left-to-right model and a diffusion model of the same task, row length and size.
struct DemoPair {
  DemoModel left_to_right, diffusion;
};
std::vector<DemoPair> pairs_to_compare();

// New test puzzles for `demo`, and for `eval` without --data.
struct FreshPuzzles {
  std::string about;  // describes them in a line
  std::vector<tasks::Example> examples;
};

// Generates `count` puzzles of the test split: the hardest kind that fits the model's rows.
FreshPuzzles fresh_puzzles(const inference::LoadedModel& model, std::uint64_t seed,
                           std::size_t count, bool quiet = true);

// Error for typed text that a task would take by mistake: numbers of a game without its target, or
// one or two numbers, which are also literals.
void check_typed(const std::string& puzzle);

// How well a text fits a task: not at all, as a puzzle of another size than models learn, padded to
// that size, or as it is.
enum class Fit { kNone, kAnotherSize, kPadded, kFits };
Fit fit(const tasks::Task& task, const std::string& puzzle);

// Picks the model that answers a puzzle, one puzzle after the other.
class ModelPicker {
 public:
  explicit ModelPicker(std::vector<DemoModel> models);

  // The first model whose task takes the puzzle; models trained on puzzles of its size are
  // preferred. Where models of several tasks take it, the one picked before is. Error when no model
  // takes it, several do, or there is no model.
  const DemoModel& pick(const std::string& puzzle);

 private:
  struct Task {
    std::unique_ptr<tasks::Task> task;
    const DemoModel* model;  // none for a task without models
  };
  void refuse(const std::string& puzzle, Fit best) const;

  std::vector<DemoModel> models_;
  std::vector<Task> tasks_;
  const Task* last_ = nullptr;
};

// Picks a model for a DIMACS formula: one that learned this size, or the largest that has room for
// it, padded.
std::string pick_model(std::span<const DemoModel> models, const formats::Cnf& formula,
                       const std::string& file);

}  // namespace mgdm::cli
