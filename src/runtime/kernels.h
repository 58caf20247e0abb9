// The kernels of the room vectors, which nearly every file of this room uses.
#pragma once

#include <cstddef>

#include "vectors/array.h"
#include "vectors/norm.h"
#include "vectors/product.h"
#include "vectors/softmax.h"

namespace mgdm::runtime {

using vectors::Activation;
using vectors::Array;
using vectors::ConstRows;
using vectors::end_product;
using vectors::Ending;
using vectors::layer_norm;
using vectors::MutableRows;
using vectors::NarrowPanels;
using vectors::panel_columns;
using vectors::PanelLayout;
using vectors::Panels;
using vectors::product;
using vectors::rms_norm;
using vectors::softmax;

// Activations of a network: a row of numbers per position.
class Activations {
 public:
  // Growing loses the contents.
  void reserve(std::size_t rows, std::size_t columns) {
    // A row is an odd number of cache lines. Otherwise the rows of a tile would map to the same few
    // cache sets and evict each other.
    constexpr std::size_t kLine = 16;
    stride_ = ((columns + kLine - 1) / kLine | 1) * kLine;
    data_.reserve(rows * stride_);
  }

  float* row(std::size_t i) { return data_.data() + i * stride_; }
  MutableRows from_row(std::size_t i) { return {row(i), stride_}; }
  std::size_t stride() const { return stride_; }

 private:
  Array<float> data_;
  std::size_t stride_ = 0;
};

}  // namespace mgdm::runtime
