// The objectives of training.
//
// An objective does not know the network. It turns a batch into the network's input (noise), and
// the network's predictions into a loss:
//
//   const auto objective = make_objective(settings, &model.parameters());
//   for (const Noised& noised : objective->noise(batch, seed)) {
//     const nn::Input input = objective->shown(batch, noised, guess);
//     const LossSum part = objective->loss(model.forward(input), batch, noised);
//     // add up the sums and the counts; the loss is sum / count
//   }
//
// Everything stays on the batch's device, no value is read back and no shape depends on values: a
// training step can be captured in a CUDA graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/rows.h"
#include "data/vocabulary.h"
#include "nn/batch_tensors.h"
#include "nn/model.h"
#include "nn/prediction.h"
#include "spec/objective_settings.h"

namespace mgdm::objectives {

// Token ids as LibTorch's functions take them.
constexpr std::int64_t kPad = data::kPad, kMask = data::kMask, kEos = data::kEos,
                       kFirstOrdinary = data::kSpecialTokens;

using Settings = spec::ObjectiveSettings;

// Examples x_0; frozen positions are neither noised nor predicted. Items and step key the random
// draws.
struct Batch : nn::TensorRows {
  at::Tensor step;     // () int64: the training step
  at::Tensor place{};  // (B) float in [0, 1): the place of each in the whole batch of all
                       // processes, for levels that are spread evenly over it; undefined: unknown
};

// One noised copy x_t of a batch.
struct Noised {
  at::Tensor input;    // (B, N) int64: the tokens that the network sees
  at::Tensor counted;  // (B, N) bool: positions whose prediction is in the loss
  at::Tensor weight;   // (B, N) float: of a position's loss; 0 where not counted
  at::Tensor t;        // (B) int64 in 0..T-1: the noise level; 0 where there is none
  // Only for objectives on token vectors; otherwise undefined.
  at::Tensor time{};     // (B) float in [0, 1]
  at::Tensor eps{};      // (B, N, D) float: normal noise
  at::Tensor guessed{};  // (B) bool: the network is shown its own guess
};

// loss = sum / count. Over several noised copies, batches or processes add up both before dividing;
// count can be 0 when nothing was masked.
struct LossSum {
  at::Tensor sum;    // () float, with gradient
  at::Tensor count;  // () float: counted positions
};

// The network's prediction for an input, without dropout and gradient.
using Guess = std::function<nn::Prediction(const nn::Input& input)>;

class Objective {
 public:
  explicit Objective(const Settings& settings) : settings_(settings) {}
  virtual ~Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  // The noised copies to train on, at levels drawn for each example: one, or two for RDM's coupled
  // noise levels.
  virtual std::vector<Noised> noise(const Batch& batch, std::uint64_t seed) const;

  // One copy at the given noise levels t (B). Its draws are those of noise(): an example whose
  // drawn level is t looks the same in both. Without noise (levels() = 1) t changes nothing.
  virtual Noised noise_at(const Batch& batch, std::uint64_t seed, const at::Tensor& t) const = 0;

  // The number of columns, from the first on, that must be computed: later columns are neither
  // counted nor seen by counted ones. All columns, unless overridden. Called on the host, before
  // the rows are on a device.
  virtual std::size_t needed_columns(const data::Rows& rows) const { return rows.length; }

  // The network's input for a copy: its tokens, unless overridden. `guess` is called if the network
  // is shown its own guess.
  virtual nn::Input shown(const Batch& batch, const Noised& noised, const Guess& guess) const;

  // The number of noise levels: T, or 1 without noise.
  virtual std::int64_t levels() const { return settings_.steps; }

  // The loss of each position before Noised::weight: (B, N). Unless overridden, the cross entropy
  // with x_0, times its token weight where tokens are reweighted.
  virtual at::Tensor token_loss(const nn::Prediction& prediction, const Batch& batch,
                                const Noised& noised) const;

  // Whether token_loss is the cross entropy above, for which there is a kernel that needs no
  // logits.
  virtual bool is_cross_entropy() const { return true; }

  // From the predictions after each loop (models without loops give one). Deep supervision: the
  // loss is a weighted mean over the loops r = 1..R, with weights proportional to r, or the last
  // loop's.
  LossSum loss(const nn::Output& output, const Batch& batch, const Noised& noised) const;

  // The resolved settings: an objective fixes some of them.
  const Settings& settings() const { return settings_; }

 protected:
  const Settings settings_;

 private:
  // The loss by the kernel, if there is one for these predictions.
  std::optional<at::Tensor> fused_loss(std::span<const nn::Prediction> loops,
                                       const std::vector<double>& factors, const Batch& batch,
                                       const Noised& noised) const;
};

// UsageError when the settings do not fit together. Some objectives have learned parameters (VDM's
// vectors and schedule), which are among the model's parameters. Without parameters the objective
// only checks its settings.
std::unique_ptr<Objective> make_objective(const Settings& settings,
                                          const nn::Parameters* parameters = nullptr);

// The objectives, one per file. make_objective chooses among them.

std::unique_ptr<Objective> make_absorbing(const Settings& settings);  // mgdm, rdm, d3pm_absorbing
std::unique_ptr<Objective> make_uniform(const Settings& settings);    // d3pm_uniform
std::unique_ptr<Objective> make_vdm(const Settings& settings, const nn::Parameters* parameters);
std::unique_ptr<Objective> make_autoregressive(const Settings& settings);
std::unique_ptr<Objective> make_teacherless(const Settings& settings);

}  // namespace mgdm::objectives
