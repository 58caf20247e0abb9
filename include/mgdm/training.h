// The half of mgdm that needs LibTorch: training, and models on CUDA GPUs. It is installed only if
// mgdm was built with LibTorch:
//
//   find_package(mgdm REQUIRED COMPONENTS training)
//   target_link_libraries(my_program PRIVATE mgdm::training)
//
//   mgdm::TrainOptions options;
//   options.overrides = {"training.steps=100"};
//   std::string folder = mgdm::train("recipes/quick/planning-mgdm.toml", "runs/small", options);
//   mgdm::use_libtorch();
//   mgdm::Model model(folder);
//
// Call these from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mgdm/mgdm.h"

namespace mgdm {

// Models loaded after this call run on CUDA if there is a GPU. On the CPU, LibTorch runs those that
// the other half cannot run (LLaMA, VDM).
void use_libtorch();

// How far a training run is.
struct TrainProgress {
  std::int64_t step = 0;
  double done = 0;  // of what the recipe asks for, 0 to 1
  // The values written to metrics.jsonl at this step: "loss", "tokens_per_second", "accuracy", ...
  std::vector<std::pair<std::string, double>> metrics = {};
};

// Called on the thread that called train, every training.log_every steps and after evaluations.
// Returning false ends the run; it can be resumed. What it throws ends the run, too, and is passed
// on. In both cases a checkpoint is saved first.
using OnProgress = std::function<bool(const TrainProgress& progress)>;

struct TrainOptions {
  std::vector<std::string> overrides = {};  // "key=value": changes to the recipe
  int threads = 0;                          // 0: as the recipe says
  bool resume = false;                      // go on with the run in `out`
  bool quiet = true;                        // no status line
  OnProgress on_progress = {};
};

// Trains a model from a recipe, a TOML file, as `mgdm train` does. Checkpoints and logs go to the
// folder `out`. Returns the folder of the newest checkpoint.
std::string train(const std::string& recipe, const std::string& out,
                  const TrainOptions& options = {});

}  // namespace mgdm
