// What `mgdm train`, `mgdm reproduce` and the library say about a training run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/recipe.h"

namespace mgdm::spec {

struct RunRequest {
  std::string recipe;  // a file
  std::vector<std::string> overrides = {};
  std::string out = {};  // the run's folder; see folder_of()
  std::int64_t threads = 0;
  bool resume = false, quiet = false;
  std::function<void()> on_begin = {};  // called when the run's settings are written

  void visit(config::Visitor& v);  // the flags of mgdm train
};

// `out`. Without it the folder of the run whose config.toml is the recipe, else runs/ and the
// recipe's name.
std::string folder_of(const RunRequest& request);

// The recipe with its overrides, as a user asked for it. UsageError where an override changes
// nothing, or where the run that is resumed has other settings that no override names
// (spec/overrides.h).
Recipe checked_recipe(const RunRequest& request);

}  // namespace mgdm::spec
