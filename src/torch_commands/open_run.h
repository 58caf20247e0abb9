// The folder of a run, new or continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/recipe.h"
#include "training/run_folder.h"

namespace mgdm::torch_commands {

using Environment = std::map<std::string, std::string>;  // where a run runs: threads, device, ...

struct OpenOptions {
  bool resume = false;
  bool quiet = false;
  bool on_cpu = false;
};

// The folder, and what is asked of the run that goes on in it.
struct OpenedRun {
  // Writes that down: training goes on from `step`.
  void begin(std::int64_t step) const;

  training::RunFolder folder;
  std::string config = {};  // the recipe, its settings resolved
  Environment environment = {};
  std::vector<std::string> changes = {};  // of settings, since the sitting before
};

// To resume is refused where the recipe is another one; what has changed and may is said on
// standard error.
OpenedRun open_run(const std::filesystem::path& out, const spec::Recipe& recipe,
                   const Environment& environment, const OpenOptions& options);

}  // namespace mgdm::torch_commands
