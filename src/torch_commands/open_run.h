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

using Environment =
    std::map<std::string, std::string>;  // the environment of a run: threads, device, ...

struct OpenOptions {
  bool resume = false;
  bool quiet = false;
  bool on_cpu = false;
};

// The folder, and the request for the run in it.
struct OpenedRun {
  // Records that training continues from `step`.
  void begin(std::int64_t step) const;

  training::RunFolder folder;
  std::string config = {};  // the recipe, its settings resolved
  Environment environment = {};
  std::vector<std::string> changes = {};  // of settings since the previous call
};

// Resuming with another recipe is an Error; permitted changes are reported on standard error.
OpenedRun open_run(const std::filesystem::path& out, const spec::Recipe& recipe,
                   const Environment& environment, const OpenOptions& options);

}  // namespace mgdm::torch_commands
