// The keys and values of one sequence in one layer, in the layout of attention's two matmuls
// (product.h): scores = queries K^T, mixed = weights V. Heads H of size D, P columns to a panel.
#pragma once

#include <cstddef>

#include "runtime/kernels.h"

namespace mgdm::runtime {

class KeysAndValues {
 public:
  KeysAndValues(std::size_t heads, std::size_t head_size, std::size_t most_positions);

  // Those of a position (H D each); different positions at the same time, too.
  void set(std::size_t position, const float* keys, const float* values);

  // K^T (D, count) and V (count, D) of a head and the first `count` positions.
  Panels keys(std::size_t head, std::size_t count) const;
  Panels values(std::size_t head, std::size_t count) const;

 private:
  std::size_t heads_, size_, most_, wide_;
  std::size_t value_panels_;  // of a head
  Array<float> keys_,
      values_;  // [position / P][head][d][position % P]; [head][d / P][position][d % P]
};

}  // namespace mgdm::runtime
