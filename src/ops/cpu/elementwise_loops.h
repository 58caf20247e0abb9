// The loops of elementwise.cc, over plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cpu/keep.h"

namespace mgdm::ops::cpu {

// y = gelu(x)
void gelu_loop(const float* x, std::size_t count, float* y);

// dx = gelu'(x) dy
void gelu_gradient_loop(const float* x, const float* dy, std::size_t count, float* dx);

// y = scaled x where kept, else 0; `first` is the number of the first x.
void dropout_loop(const Keep& keep, std::uint32_t first, const float* x, std::size_t count,
                  float* y);

}  // namespace mgdm::ops::cpu
