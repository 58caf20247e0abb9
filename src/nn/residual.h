// The residual stream of a transformer: x, to which every branch (attention, MLP) adds what it made
// of x's norm.
//
//   Residual stream(embedding, dropout);
//   stream.add(attention(stream.normed(norm)));
//
// Without gradients the stream may be added to in its place, where nobody else holds it.
//
// What was added last stays apart until the next norm reads the stream, because adding, dropping
// and normalising are then one pass over memory where there is a kernel for it.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "ops/residual_norm.h"

namespace mgdm::nn {

using ops::Branch;
using ops::Norm;

class Residual {
 public:
  // x (..., C); a fraction `dropout` of every branch is dropped.
  Residual(at::Tensor x, double dropout) : x_(std::move(x)), dropout_(dropout) {}

  // A branch that is the stream itself was added to value() by its product: nothing else may be
  // pending, and nothing is dropped.
  void add(Branch branch);
  at::Tensor normed(const Norm& norm);
  // For two readers, whose gradients may then be added up better than autograd does.
  std::pair<at::Tensor, at::Tensor> normed_twice(const Norm& norm);
  at::Tensor value() const;  // the stream, with all that was added

  // From now on the stream is these of its rows, by number (W); one may come more than once.
  // Branches and norms are (W, C).
  void pick(at::Tensor rows);

 private:
  at::Tensor x_;
  at::Tensor picked_;  // rows of x; undefined: all
  Branch pending_;     // the branch not added yet, or nothing
  double dropout_;
};

}  // namespace mgdm::nn
