#include "runtime/packed_matrix.h"

#include "base/error.h"

namespace mgdm::runtime {

PackedMatrix::PackedMatrix(std::span<const float> weights, std::size_t out, std::size_t in)
    : depth_(in), columns_(out) {
  MGDM_CHECK(weights.size() == out * in);
  const std::size_t wide = panel_columns(), panels = (out + wide - 1) / wide;
  data_ = Array<float>(panels * wide * in);
  for (std::size_t j = 0; j < out; ++j) {
    float* const to = data_.data() + j / wide * wide * in + j % wide;
    for (std::size_t k = 0; k < in; ++k) to[k * wide] = weights[j * in + k];
  }
}

Panels PackedMatrix::panels() const {
  return {data_.data(), panel_columns() * depth_, depth_, columns_};
}

}  // namespace mgdm::runtime
