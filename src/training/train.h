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
#include "training/budget.h"
#include "training/optimizer.h"
#include "training/run_folder.h"

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
  // Called by the first process, with the step that training goes on from: before the first step of
  // a new run, and once the first one has succeeded where a run is resumed. What it was trained by
  // before must not be overwritten by what it cannot go on with. Not called where nothing is left
  // to train.
  std::function<void(std::int64_t step)> on_begin = {};
  // Called now and then and at the end, by the first process; its numbers go into the metrics.
  std::function<Metrics(std::int64_t step)> on_evaluate = {};
};

// The rows of every batch that this process works on. UsageError when some would have none.
data::Share share_of(const TrainingSettings& settings, const distributed::ProcessGroup& group);

// Returns the last checkpoint (empty on all but the first process). Interrupted after saving one
// when the user pressed Ctrl-C, to any of the processes; an Error when the loss is no longer a
// number (the last good checkpoint stays).
std::filesystem::path train(const TrainingRun& run);

}  // namespace mgdm::training
