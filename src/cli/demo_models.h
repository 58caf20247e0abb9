// Which of the models at hand a demonstration shows, and on which puzzles.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "inference/reasoner.h"
#include "spec/checkpoint_config.h"
#include "tasks/task.h"

namespace mgdm::cli {

struct DemoModel {
  std::string name, folder;
  spec::CheckpointConfig config;
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

struct DemoPuzzles {
  std::string about;  // what they are, in a line
  std::vector<tasks::Example> examples;
};

// Puzzles of the test split: of the kinds that have room in the model's rows, the most demanding.
DemoPuzzles demo_puzzles(const inference::Reasoner& reasoner, std::uint64_t seed,
                         std::size_t count);

}  // namespace mgdm::cli
