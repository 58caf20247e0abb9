// The residual stream x of a transformer, to which every branch (attention, MLP) adds its output.
//
//   Residual stream(embedding, dropout);
//   stream.add(attention(stream.normed(norm)));
//
// Without gradients the stream is added to in place if no other tensor shares its memory.
//
// The last branch is added only when the next norm reads the stream, because a kernel does dropout,
// addition and norm in one pass over memory.
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

  // A branch that is the stream itself was added to value() by its matmul: no other branch may be
  // pending, and there is no dropout.
  void add(Branch branch);
  at::Tensor normed(const Norm& norm);
  // The norm for two readers; their gradients are then added up faster than by autograd.
  std::pair<at::Tensor, at::Tensor> normed_twice(const Norm& norm);
  at::Tensor value() const;  // the stream, with all that was added

  // Restricts the stream to these rows, by number (W); a row may occur more than once. Branches and
  // norms are then (W, C).
  void pick(at::Tensor rows);

 private:
  at::Tensor x_;
  at::Tensor picked_;  // rows of x; undefined: all
  Branch pending_;     // the branch not added yet, or nothing
  double dropout_;
};

}  // namespace mgdm::nn
