// One training step: noise, forward, loss, backward, clip, optimise; on CUDA recorded as a graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "compat/graph.h"
#include "data/batches.h"
#include "nn/model.h"
#include "objectives/objective.h"
#include "training/optimizer.h"
#include "training/settings.h"

namespace mgdm::training {

class TrainingStep {
 public:
  // Everything given must outlive the step. Rows have `length` tokens.
  TrainingStep(nn::Model& model, const objectives::Objective& objective, Optimizer& optimizer,
               const TrainingSettings& settings, double clip, std::uint64_t seed,
               std::int64_t length);

  // Queues a step on the batch; the learning rates are times `factor`.
  void run(const data::Batch& batch, double factor);

  // Of the last step: these wait for the device.
  double loss() const;
  double gradient_norm() const;

 private:
  void body();

  nn::Model& model_;
  const objectives::Objective& objective_;
  Optimizer& optimizer_;
  const TrainingSettings settings_;
  const double clip_;
  const std::uint64_t seed_;
  compat::StepGraph graph_;
  // What changes from step to step, in tensors that stay where they are.
  at::Tensor tokens_, frozen_;  // (B, N) bytes
  at::Tensor items_;            // (B) int64
  at::Tensor step_, factor_;    // () int64, () float
  at::Tensor loss_, norm_;      // () float
};

// Mean loss and share of right tokens over counted positions, without dropout, on noise that is the
// same at every call.
struct HeldOut {
  double loss = 0;
  double token_accuracy = 0;
};
HeldOut held_out(nn::Model& model, const objectives::Objective& objective,
                 const data::EncodedDataset& dataset, std::uint64_t seed, bool bf16);

}  // namespace mgdm::training
