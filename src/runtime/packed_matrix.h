// A matrix of weights in the panels of product.h.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/array.h"
#include "runtime/product.h"

namespace mgdm::runtime {

class PackedMatrix {
 public:
  PackedMatrix() = default;

  // y = W x for W (out, in), which becomes B (in, out).
  PackedMatrix(std::span<const float> weights, std::size_t out, std::size_t in);

  Panels panels() const;

 private:
  Array<float> data_;
  std::size_t depth_ = 0, columns_ = 0;
};

}  // namespace mgdm::runtime
