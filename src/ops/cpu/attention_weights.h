// The operations on attention's weights between its matmuls, one head at a time. A row is padded
// with zeros to whole vectors of at least 16 numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cpu/keep.h"

namespace mgdm::ops::cpu {

// `count` weights p: kept = d p with dropout's factors d, 0 or keep.scale. Dropped weights get a
// minus sign in p, so that the backward pass need not draw again. `first` is the number of the
// first weight.
void drop_weights(const Keep& keep, std::uint32_t first, std::size_t count, float* p, float* kept);

// For p = softmax(scale s), in rows, from the gradient of what was kept to that of the scores s, in
// place:
//
//   dp = d dkept     ds = scale p (dp - sum(p dp))
//
// p is as drop_weights left it, and `kept` is made from it again; null without dropout.
void score_gradients(float scale, float keep_scale, const float* p, std::size_t rows,
                     std::size_t columns, float* kept, float* gradient);

}  // namespace mgdm::ops::cpu
