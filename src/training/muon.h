// Muon (Jordan et al., 2024): every momentum matrix is replaced by the nearest orthogonal one, so
// that all its singular values are about 1.
//
//   m = mu m + g        u = g + mu m  (Nesterov)
//   p -= lr * sqrt(max(1, rows / columns)) * orthogonalize(u)
#pragma once

#include "training/optimizer.h"

namespace mgdm::training {

// Five Newton-Schulz steps X <- a X + b (X X^T) X + c (X X^T)^2 X on batches of matrices (G, R, C)
// of Frobenius norm 1, each batch of another shape. The coefficients are those of the authors:
// steepest at 0 rather than exact at 1, so the singular values end between about 0.7 and 1.2. In
// the type of `x`.
std::vector<at::Tensor> newton_schulz(std::vector<at::Tensor> x);

// One batch of matrices of any norm.
at::Tensor orthogonalize(const at::Tensor& x);

// All parameters must be matrices. Matrices of one shape share their products.
class Muon : public Optimizer {
 public:
  Muon(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters);

  using Optimizer::step;
  void step(const at::Tensor& factor) override;
  std::vector<nn::NamedTensor> state() const override;

 private:
  struct Group {
    std::vector<std::size_t> members;  // places in parameters_
    at::Tensor momentum;               // (G, R, C)
  };

  OptimizerSettings settings_;
  std::vector<Group> groups_;
};

}  // namespace mgdm::training
