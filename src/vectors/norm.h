// Norms of rows of numbers.
#pragma once

#include <cstddef>

#include "vectors/product.h"

namespace mgdm::vectors {

// x / sqrt(mean(x^2) + eps) of each row. `to` may be `from`.
void rms_norm(ConstRows from, std::size_t rows, std::size_t width, float eps, MutableRows to);

// (x - mean) / sqrt(variance + eps) * weight + bias of each row.
void layer_norm(ConstRows from, std::size_t rows, std::size_t width, float eps, const float* weight,
                const float* bias, MutableRows to);

}  // namespace mgdm::vectors
