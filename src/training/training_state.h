// The state of training: everything that a checkpoint holds and the next step depends on. Every
// draw is a function of the step, so no generator is saved.
//
//   model.safetensors, config.json ...   the model, with averaged weights where there are such; of
//                                        one with LoRA its matrices: adapter_model.safetensors
//   raw.safetensors                      its own weights then: training goes on from them
//   optimizer.safetensors                means, squares, momentum
//   trainer_state.json                   the position
//
// A checkpoint can be cut into shards. It can also be compact: everything except weights (averages,
// means, squares, momentum) is in bf16, and training then continues close to where it was, but not
// bit for bit.
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

  // Writes the files of a checkpoint into an existing folder, and reads them back: bit for bit
  // unless they are compact, which read() tells. An Error names a file that is broken, or of
  // another step than its folder checkpoint-STEP.
  void write(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
             const spec::About& about, const nn::TensorFiles& files = {}) const;
  enum class Restored { kExactly, kClosely };
  Restored read(const std::filesystem::path& folder);

  // Whether all weights and averages are finite. Waits for the device.
  bool finite() const;

  // Sends the first process's state to all processes.
  void share(distributed::ProcessGroup& group);

  // While the result lives, the model computes with the averages, if there are any.
  std::unique_ptr<Ema::InUse> averaged() const;

  nn::Model& model;
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<Ema> ema;  // null without averages
  Position position;
};

}  // namespace mgdm::training
