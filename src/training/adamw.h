// AdamW (Loshchilov and Hutter, 2019):
//
//   p -= lr * decay * p
//   m  = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2
//   p -= lr * m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + eps)         n = number of this step
//
// Biases and norm weights do not decay.
#pragma once

#include "training/optimizer.h"

namespace mgdm::training {

class Adamw : public Optimizer {
 public:
  Adamw(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters);

  using Optimizer::step;
  void step(const at::Tensor& factor) override;
  std::vector<nn::NamedTensor> state() const override;

 private:
  // The parameters that have a gradient, and what belongs to them.
  struct Work {
    std::vector<at::Tensor> values, gradients, means, squares;
  };
  Work work() const;
  void step_plain(Work work, const at::Tensor& lr);

  OptimizerSettings settings_;
  std::vector<at::Tensor> means_, squares_;  // m and v, by parameter
  at::Tensor count_;                         // (), float: steps so far
};

}  // namespace mgdm::training
