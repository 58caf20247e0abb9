// What happens to attention's weights between its products, a head at a time. A row is a whole
// number of vectors, 16 numbers to be sure; what pads it is 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cpu/keep.h"

namespace mgdm::ops::cpu {

// `count` weights p: kept = d p with dropout's factors d, 0 or keep.scale. From then on p has the
// sign turned of what was dropped, so that nothing is drawn again for the gradients. The weights
// are number `first` and those after it.
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
