// Random numbers for tensors, from the streams of base/random.h: the draws of an item do not depend
// on its batch, its row, the device or the LibTorch version.
//
//   at::Tensor u = ops::uniform(seed, Purpose::kMask, batch.items, batch.step, length);  // (B, N)
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "base/random.h"

namespace mgdm::ops {

// Element (b, n) is what the n-th (from 0) call of Stream(seed, purpose, items[b], step).uniform()
// gives: float (B, columns) in [0, 1). items are (B) int64, step is () int64 on the same device: a
// tensor, so that a captured CUDA graph draws anew when the step in it changes.
at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns);

// Normal numbers (B, columns) from those of the stream; they may differ in their last bits between
// devices.
at::Tensor normal(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                  const at::Tensor& step, std::int64_t columns);

// As many normal numbers as there are uniform ones, (B, 2n): the first half of a row gives the
// radius, the second the angle (Box and Muller).
at::Tensor normal_of(const at::Tensor& uniform);

}  // namespace mgdm::ops
