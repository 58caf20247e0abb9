// Attention of one head and its gradients, over plain arrays:
//
//   forward    s = q k^T           p = softmax(scale s)     o = (d p) v      d = dropout's factors
//   backward   dp = d (do v^T)     ds = scale p (dp - sum(p dp))
//              dv = (d p)^T do     dq = ds k                dk = ds^T q
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cpu/keep.h"
#include "vectors/array.h"
#include "vectors/product.h"

namespace mgdm::ops::cpu {

struct HeadShape {
  std::size_t n = 0, m = 0;  // positions that ask, and that are seen
  std::size_t size = 0;      // of a head
  bool causal = false;  // the positions that ask are the last ones, and see none after their own
  float scale = 1;

  // Weights (n, m) have room for whole vectors and for rows by fours. Dropout draws by a weight's
  // place: with other room, a seed would mean other draws.
  std::size_t columns() const { return (m + 15) / 16 * 16; }
  std::size_t weights() const { return (n + 3) / 4 * 4 * columns(); }
};

// The work of one thread, head after head: what it needs in between is kept for the next.
class AttentionHead {
 public:
  AttentionHead(const HeadShape& shape, bool dropout, const Keep& keep)
      : shape_(shape), dropout_(dropout), keep_(keep) {}

  // The output, and p for the gradients in `weights`, unless it is null. `index` is that of the
  // head, by which dropout draws.
  void forward(std::size_t index, vectors::ConstRows q, vectors::ConstRows k, vectors::ConstRows v,
               float* weights, vectors::MutableRows out);

  // The gradients from that of the output and the weights of `forward`.
  void backward(vectors::ConstRows q, vectors::ConstRows k, vectors::ConstRows v,
                const float* weights, vectors::ConstRows d_out, vectors::MutableRows d_q,
                vectors::MutableRows d_k, vectors::MutableRows d_v);

 private:
  using Buffer = vectors::Array<float>;

  HeadShape shape_;
  bool dropout_;
  Keep keep_;
  Buffer queries_, keys_, values_, d_out_;      // in panels
  Buffer transposed_keys_, transposed_values_;  // the same, padded to the columns of the weights
  Buffer weights_, kept_, d_scores_;            // (n, m)
};

}  // namespace mgdm::ops::cpu
