// Which of the models at hand a demonstration shows.
#pragma once

#include <string>
#include <vector>

#include "model_files/checkpoint_config.h"

namespace mgdm::cli {

struct DemoModel {
  std::string name, folder;
  model_files::CheckpointConfig config;
};

// Those that do not answer left to right, in the order of the tasks, of each the largest first.
std::vector<DemoModel> diffusion_models();

// For each task the largest model that does not answer left to right, in the order of the tasks.
std::vector<DemoModel> models_to_watch();

// A model that answers left to right, and one of the same task, row length and size that does not.
struct DemoPair {
  DemoModel left_to_right, diffusion;
};
std::vector<DemoPair> pairs_to_compare();

}  // namespace mgdm::cli
