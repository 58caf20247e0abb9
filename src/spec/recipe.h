// A recipe: everything that decides a training run, in one TOML file.
//
//   extends = ["common.toml"]     # read first; this file then changes what it names
//   task = "planning"
//   [objective]
//   beta = 1.0
//
// Any field can be changed on the command line: mgdm train recipe.toml objective.beta=2
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/settings.h"
#include "decoding/decoding_settings.h"
#include "spec/model_settings.h"
#include "spec/objective_settings.h"
#include "spec/training_settings.h"

namespace mgdm::spec {

struct EvaluationSettings {
  std::vector<std::string> files;
  std::string verifier;
  std::int64_t count = 1000;
  std::int64_t batch = 1024;
  double minutes = 0;

  void visit(config::Visitor& v);
};

struct Recipe {
  std::vector<std::string> extends;
  std::string task;
  std::int64_t seed = 0;
  std::string init;
  data::DataSettings data;
  ModelSettings model;
  ObjectiveSettings objective;
  OptimizerSettings optimizer;
  TrainingSettings training;
  decoding::DecodingSettings decoding;
  EvaluationSettings evaluation;

  void visit(config::Visitor& v);
};

// Resolves a path. If nothing is there and it begins with recipes/, the project's own recipe of
// that name (base/paths.h), which is so found from any folder.
std::filesystem::path find_recipe(const std::string& path);

// Reads the file (see find_recipe), the files it extends, and then the overrides (key=value).
// UsageError when its sections do not fit together.
Recipe read_recipe(const std::string& path, const std::vector<std::string>& overrides);

// An Error unless a run trained by `before` in `folder` can continue with `now`: the weights must
// keep their meaning. Length, speed and data of training may change; those changes are returned as
// "training.steps = 12, was 2000".
std::vector<std::string> check_continues(const Recipe& before, const Recipe& now,
                                         const std::string& folder);

// How far a run is, with the metrics that are logged at this step.
struct RunProgress {
  std::int64_t step = 0;
  double done = 0;  // of what the recipe asks for, 0 to 1
  std::vector<std::pair<std::string, double>> metrics = {};
};
// Returning false ends the run as Ctrl-C does: a checkpoint is saved, and Interrupted thrown.
using OnProgress = std::function<bool(const RunProgress& progress)>;

// What `mgdm train`, `mgdm reproduce` and the library say about a training run.
struct RunRequest {
  std::string recipe;  // a file
  std::vector<std::string> overrides = {};
  std::string out = {};  // the run's folder; see folder_of()
  std::int64_t threads = 0;
  std::int64_t seeds = 1;
  bool resume = false, quiet = false;
  std::function<void()> on_begin = {};  // called when the run's settings are written
  OnProgress on_progress = {};          // called by the first process

  void visit(config::Visitor& v);  // the flags of mgdm train
};

// Whether a launcher has started this process again after a failure: torchrun, `mgdm launch
// --restarts`, or Slurm that requeued its job. What the same command began is then to be continued.
bool is_restarted();

// `out`. Without it the folder of the run whose config.toml is the recipe, else runs/ and the
// recipe's name.
std::string folder_of(const RunRequest& request);

// The recipe with its overrides, as a user asked for it. UsageError where an override changes
// nothing, or where the run that is resumed has other settings that no override names
// (spec/overrides.h).
Recipe checked_recipe(const RunRequest& request);

}  // namespace mgdm::spec
