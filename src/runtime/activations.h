// Activations of a network: a row of numbers per position.
#pragma once

#include <cstddef>

#include "runtime/kernels.h"

namespace mgdm::runtime {

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
