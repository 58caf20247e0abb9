// AdamW (Loshchilov and Hutter, 2019):
//
//   p -= lr * decay * p
//   m  = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2
//   p -= lr * m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + eps)         n = number of this step
//
// Biases and norm weights do not decay.
#pragma once

#include "compat/operations.h"
#include "training/optimizer.h"

namespace mgdm::training {

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
