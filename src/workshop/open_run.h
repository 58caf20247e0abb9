// The folder of a run, new or continued.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "spec/recipe.h"
#include "training/run_folder.h"

namespace mgdm::workshop {

using Environment = std::map<std::string, std::string>;  // where a run runs: threads, device, ...

struct OpenOptions {
  bool resume = false;
  bool quiet = false;
  bool on_cpu = false;
};

// With the recipe (its settings resolved) and the environment written into it. To resume is refused
// where the recipe is another one; what has changed and may is said on standard error.
training::RunFolder open_run(const std::filesystem::path& out, const spec::Recipe& recipe,
                             const Environment& environment, const OpenOptions& options);

}  // namespace mgdm::workshop
