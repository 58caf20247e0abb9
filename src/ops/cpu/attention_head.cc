// A head is small: its keys, values and weights fit into the cache. LibTorch's way is a matrix
// product per head and step, each too small for BLAS to be fast, with the weights written to and
// read from memory in between.
#ifdef MGDM_HAVE_VECTORS

#include "ops/cpu/attention_head.h"

#include "ops/cpu/attention_weights.h"
#include "vectors/panels.h"
#include "vectors/product.h"
#include "vectors/softmax.h"

namespace mgdm::ops::cpu {
namespace {

using vectors::Array;
using vectors::ConstRows;
using vectors::MutableRows;
using vectors::Panels;

Panels in_panels(ConstRows b, std::size_t depth, std::size_t columns, Array<float>& buffer) {
  buffer.reserve(vectors::panels_size(depth, columns));
  return vectors::pack(b, depth, columns, buffer.data());
}

// b^T (depth, columns), with zeros in further columns up to `padded`.
Panels transposed_in_panels(ConstRows b, std::size_t depth, std::size_t columns, std::size_t padded,
                            Array<float>& buffer) {
  buffer.reserve(vectors::panels_size(depth, padded));
  Panels panels = vectors::pack_transposed(b, depth, columns, buffer.data());
  panels.columns = padded;
  return panels;
}

}  // namespace

void AttentionHead::forward(std::size_t index, ConstRows q, ConstRows k, ConstRows v,
                            float* weights, MutableRows out) {
  const std::size_t n = shape_.n, m = shape_.m, size = shape_.size, columns = shape_.columns();
  if (weights == nullptr) {
    weights_.reserve(shape_.weights());
    weights = weights_.data();
  }
  const MutableRows p{weights, columns};
  vectors::product(q, n, transposed_in_panels(k, size, m, columns, transposed_keys_), {}, p);
  vectors::softmax(p, n, columns, shape_.scale, shape_.causal ? m - n + 1 : m, shape_.causal);
  if (dropout_) {
    kept_.reserve(shape_.weights());
    const auto first = static_cast<std::uint32_t>(index * shape_.weights());
    drop_weights(keep_, first, n * columns, weights, kept_.data());
  }
  vectors::product({dropout_ ? kept_.data() : weights, columns}, n, in_panels(v, m, size, values_),
                   {}, out);
}

void AttentionHead::backward(ConstRows q, ConstRows k, ConstRows v, const float* weights,
                             ConstRows d_out, MutableRows d_q, MutableRows d_k, MutableRows d_v) {
  const std::size_t n = shape_.n, m = shape_.m, size = shape_.size, columns = shape_.columns();
  d_scores_.reserve(shape_.weights());
  if (dropout_) kept_.reserve(shape_.weights());
  const MutableRows d_scores{d_scores_.data(), columns};
  vectors::product(d_out, n, transposed_in_panels(v, size, m, columns, transposed_values_), {},
                   d_scores);
  score_gradients(shape_.scale, keep_.scale, weights, n, columns, dropout_ ? kept_.data() : nullptr,
                  d_scores_.data());
  vectors::transposed_product({dropout_ ? kept_.data() : weights, columns}, m,
                              in_panels(d_out, n, size, d_out_), {}, d_v);
  vectors::product({d_scores.data, columns}, n, in_panels(k, m, size, keys_), {}, d_q);
  vectors::transposed_product({d_scores.data, columns}, m, in_panels(q, n, size, queries_), {},
                              d_k);
}

}  // namespace mgdm::ops::cpu

#endif  // MGDM_HAVE_VECTORS
