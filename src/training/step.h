// One training step: noise, forward, loss, backward, clip, optimise, average; on CUDA recorded as a
// graph.
//
// Several processes share a step: each works through its share of the batch, and the numbers that
// divide, steer and move the weights are summed over all of them. So the weights stay the same
// everywhere, and the same as with one process up to the order of additions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "compat/graph.h"
#include "data/batches.h"
#include "distributed/process_group.h"
#include "nn/model.h"
#include "objectives/objective.h"
#include "training/status_line.h"
#include "training/training_state.h"

namespace mgdm::training {

// What a process wants to come after a step. Nobody may stop alone, so wishes travel with the step.
struct Wishes {
  bool stop = false;  // interrupted
  bool end = false;   // the time is over, by the clock of the first process
};

class TrainingStep {
 public:
  // Everything given must outlive the step. This process works on those rows of every batch, of
  // `length` tokens each.
  TrainingStep(TrainingState& state, const objectives::Objective& objective,
               distributed::ProcessGroup& group, const TrainingSettings& settings, double clip,
               std::uint64_t seed, data::Share rows, std::int64_t length);

  // Queues a step on the share of a batch; the learning rates are times `factor`, where the first
  // process's counts.
  void run(const data::Batch& batch, double factor, Wishes wishes);

  // How many columns of a batch a step computes: those that the objective needs, rounded up to one
  // of a few lengths, because each has a graph of its own.
  std::int64_t computed_length(const data::Rows& rows) const;

  // Numbers of the last step, the same on all processes. Reading them waits for the device.
  double loss() const;
  double gradient_norm() const;
  Wishes wishes() const;  // of any process

 private:
  void body(std::int64_t loops, std::int64_t rounds, std::int64_t length);
  void sum_gradients(at::Tensor& loss);

  TrainingState& state_;
  const objectives::Objective& objective_;
  distributed::ProcessGroup& group_;
  const TrainingSettings settings_;
  const double clip_;
  const std::uint64_t seed_;
  const std::int64_t rows_;
  // By the number of loops, of rounds and of columns.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, compat::StepGraph> graphs_;
  // What changes from step to step, in tensors that stay where they are.
  at::Tensor tokens_, frozen_;  // (B, N) int32 and bytes
  at::Tensor items_;            // (B) int64
  at::Tensor place_;            // (B) float: where in the whole batch, which stays
  at::Tensor step_;             // () int64
  at::Tensor asked_, agreed_;   // (3) float: factor, stop, end; of this process and of all
  at::Tensor loss_, norm_;      // () float
};

// The model as an objective may ask it for a guess; it must outlive the result.
objectives::Guess guess_of(nn::Model& model, bool bf16);

// How often a looped network is applied in a step: drawn from fewest_loops..model_loops, the same
// on all processes; model_loops where fewest_loops is 0.
std::int64_t loops_of_step(std::int64_t fewest_loops, std::int64_t model_loops, std::uint64_t seed,
                           std::uint64_t step);

// The number of rounds of loops in a step, the same on all processes: drawn from 1..rounds, or, in
// a late_share of the steps, 1 after 2, 4, 8, ... or late_rounds.
std::int64_t rounds_of_step(const TrainingSettings& settings, std::uint64_t seed,
                            std::uint64_t step);

// The least of at most eight lengths, about evenly spaced up to `length`, that is not below
// `needed`.
std::int64_t rounded_length(std::int64_t needed, std::int64_t length);

// Mean loss of the last loop and fraction of right tokens over counted positions, without dropout,
// on noise that is the same at every call; `rows` examples at a time.
struct HeldOut {
  double loss = 0;
  double token_accuracy = 0;
};
HeldOut held_out(nn::Model& model, const objectives::Objective& objective,
                 const data::EncodedDataset& dataset, std::uint64_t seed, bool bf16,
                 std::size_t rows);

}  // namespace mgdm::training
