// The training loop: steps, metrics, checkpoints, resume, and a clean stop at Ctrl-C.
#pragma once

#include <cstdint>
#include <functional>

#include "data/batches.h"
#include "data/prepare_data.h"
#include "distributed/process_group.h"
#include "nn/checkpoint.h"
#include "nn/model.h"
#include "objectives/objective.h"
#include "spec/recipe.h"
#include "training/optimizer.h"
#include "training/run_folder.h"
#include "training/status_line.h"

namespace mgdm::training {

struct TrainingRun {
  nn::Model& model;  // on its device
  const objectives::Objective& objective;
  const data::PreparedData& data;
  OptimizerSettings optimizer;
  TrainingSettings training;
  std::uint64_t seed = 0;
  spec::About about;  // goes into every checkpoint
  distributed::ProcessGroup& group;
  RunFolder* folder = nullptr;  // only the first process has one
  bool resume = false;
  bool quiet = false;
  // Called by the first process with the step from which training continues: for a new run before
  // the first step, for a resumed run after its first step succeeded, so that a run which cannot
  // continue does not overwrite its settings. Not called if nothing is left to train.
  std::function<void(std::int64_t step)> on_begin = {};
  // Called from time to time and at the end by the first process; its numbers go into the metrics.
  std::function<Metrics(std::int64_t step)> on_evaluate = {};
  // Called by the first process whenever metrics are logged.
  spec::OnProgress on_progress = {};
};

// The rows of every batch that this process works on. UsageError when a process would have none.
data::Share share_of(const TrainingSettings& settings, const distributed::ProcessGroup& group);

// Returns the last checkpoint (empty on all but the first process). After Ctrl-C on any process it
// saves a checkpoint and throws Interrupted. An Error when the loss is not finite; the last good
// checkpoint stays.
std::filesystem::path train(const TrainingRun& run);

}  // namespace mgdm::training
