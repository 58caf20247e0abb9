// The models that `demo` shows and that `solve` chooses from.
#pragma once

#include <string>
#include <vector>

#include "model_files/checkpoint_config.h"

namespace mgdm::cli {

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

}  // namespace mgdm::cli
