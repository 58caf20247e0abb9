// An embedding table: a row of numbers per token or position, in bf16 unless the model is in fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels.h"
#include "runtime/weight_matrix.h"

namespace mgdm::runtime {

class Table {
 public:
  Table() = default;
  Table(std::span<const float> numbers, std::size_t width, Arithmetic arithmetic);

  bool empty() const { return floats_.empty() && narrow_.empty(); }

  // x += row i.
  void add_row(std::size_t i, float* x) const;

  std::size_t bytes() const { return floats_.bytes() + narrow_.bytes(); }

 private:
  std::size_t width_ = 0;
  Array<float> floats_;  // one of the two
  Array<std::uint16_t> narrow_;
};

}  // namespace mgdm::runtime
