// Where training stands: all that a checkpoint holds and the next step depends on. Every draw is a
// function of the step, so there is no generator to save.
//
//   model.safetensors, config.json ...   the model, with averaged weights where there are such; of
//                                        one with LoRA its matrices: adapter_model.safetensors
//   raw.safetensors                      its own weights then: training goes on from them
//   optimizer.safetensors                means, squares, momentum
//   trainer_state.json                   the position
//
// A checkpoint can be cut into shards, so that its files travel, and be compact: what is not a
// weight (averages, means, squares, momentum) in bf16. Training then goes on close to, but not bit
// for bit, where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "data/vocabulary.h"
#include "distributed/process_group.h"
#include "nn/checkpoint.h"
#include "nn/model.h"
#include "training/ema.h"
#include "training/optimizer.h"

namespace mgdm::training {

struct Position {
  std::int64_t step = 0;
  double seconds = 0;  // in the loop, with evaluations and saving, over all sittings
};

class TrainingState {
 public:
  // The model must outlive the state and be on its device.
  TrainingState(nn::Model& model, const OptimizerSettings& settings, double ema_decay);

  // The files of a checkpoint, into a folder that is there; and back, bit for bit unless they are
  // compact, which read() tells. An Error names a file that is broken, or of another step than its
  // folder checkpoint-STEP.
  void write(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
             const spec::About& about, const nn::TensorFiles& files = {}) const;
  enum class Restored { kExactly, kClosely };
  Restored read(const std::filesystem::path& folder);

  // No weight and no average is NaN or infinite. Waits for the device.
  bool finite() const;

  // What the first process has, on all of them.
  void share(distributed::ProcessGroup& group);

  // The model computes with the averages, where there are such, while the result lives.
  std::unique_ptr<Ema::InUse> averaged() const;

  nn::Model& model;
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<Ema> ema;  // null without averages
  Position position;
};

}  // namespace mgdm::training
