// Attention's weights from its scores.
#pragma once

#include <cstddef>

#include "vectors/product.h"

namespace mgdm::vectors {

// For each row i: exp(scale s) / sum(exp(scale s)) over the first n of its numbers, and 0 for the
// others up to `columns`. n is first_sees, one more in every further row where `causal`.
void softmax(MutableRows scores, std::size_t rows, std::size_t columns, float scale,
             std::size_t first_sees, bool causal);

}  // namespace mgdm::vectors
