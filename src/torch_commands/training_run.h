// A run: a recipe made ready and trained, in a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spec/recipe.h"

namespace mgdm::torch_commands {

struct RunOptions {
  std::string recipe_name;    // as the user named it
  std::filesystem::path out;  // the run's folder
  int threads = 0;            // 0 = as data.threads says
  bool resume = false;
  bool quiet = false;
  std::function<void()> on_begin = {};  // when the run's settings are written down
};

// The file's recipe with the overrides. Where the run in `out` goes on, nothing may differ from it
// that no override names (spec/overrides.h).
spec::Recipe read_recipe_of_run(const std::string& file, const std::vector<std::string>& overrides,
                                const std::filesystem::path& out, bool resume);

// Prepares data, model, objective and evaluation, refuses what can be refused before the first file
// is written, trains, and prints the last checkpoint. With other processes it trains the share of
// this one.
void train_by_recipe(const spec::Recipe& recipe, const RunOptions& options);

}  // namespace mgdm::torch_commands
