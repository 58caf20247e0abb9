// Optimisers: gradients in, parameters changed.
//
//   auto optimizer = make_optimizer(settings, model->parameters().all());
//   loss.backward();
//   clip_gradients(model->parameters().all(), settings.clip);
//   optimizer->step(learning_rate_factor(settings, step, done));
//   optimizer->zero_grad();
//
// Nothing in a step waits for the device. With the factor in a tensor, a step can be captured in a
// CUDA graph, and each replay uses the tensor's current value.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "nn/parameters.h"
#include "nn/tensor_bytes.h"
#include "spec/training_settings.h"

namespace mgdm::training {

using spec::OptimizerSettings;

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Takes one step. Every learning rate is multiplied by `factor`, a () float tensor on the
  // parameters' device. Parameters without a gradient do not change.
  virtual void step(const at::Tensor& factor) = 0;
  void step(double factor);

  // Drops the gradients: the next backward pass writes instead of adding.
  void zero_grad();

  // The tensors on which the next step depends, besides parameters and gradients, under names that
  // do not depend on how work is grouped.
  virtual std::vector<nn::NamedTensor> state() const = 0;

  // Copies values into the state; an Error names `source` when they are not those of state().
  void load_state(const std::vector<nn::NamedTensor>& tensors, const std::string& source);

  // Saves the state as optimizer.safetensors or shards of it. A run that loads it continues bit for
  // bit, unless the files are compact.
  void save(const std::filesystem::path& folder, const nn::TensorFiles& files = {}) const;
  void load(const std::filesystem::path& folder);

 protected:
  explicit Optimizer(std::vector<nn::Parameter> parameters) : parameters_(std::move(parameters)) {}

  std::vector<nn::Parameter> parameters_;  // sharing the model's tensors
};

// Call this after the model has moved to its device: the state lies where the parameters are.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          const std::vector<nn::Parameter>& parameters);

// The norm of all gradients together, a () tensor on their device; when it is larger than
// `max_norm`, they are scaled down to it. 0 is no limit. Nothing waits for the device.
at::Tensor clip_gradients(const std::vector<nn::Parameter>& parameters, double max_norm);

// The learning rate over a run, as a factor of its largest value.
//
// The factor at `step` (from 0) of a run of which the fraction `done` (0 to 1) lies behind: step /
// steps, or time / time allowed.
//   cosine    (1 + cos(pi done)) / 2
//   constant  1
//   linear    1, then straight to 0 over the last `decay_share` of the run
// times min(1, (step + 1) / warmup_steps).
double learning_rate_factor(const OptimizerSettings& settings, std::int64_t step, double done);

// AdamW (Loshchilov and Hutter, 2019):
//
//   p -= lr * decay * p
//   m  = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2
//   p -= lr * m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + eps)         n = number of this step
//
// Biases and norm weights do not decay.
class Adamw : public Optimizer {
 public:
  Adamw(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters);

  using Optimizer::step;
  void step(const at::Tensor& factor) override;
  std::vector<nn::NamedTensor> state() const override;

 private:
  OptimizerSettings settings_;
  std::vector<at::Tensor> means_, squares_;  // m and v, by parameter
  at::Tensor count_;                         // (), float: steps so far
};

}  // namespace mgdm::training
