// Keys or values of the positions that a decoder has seen.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops {

// (B, H, M, D), in memory with spare room: new positions are appended, and the buffer is copied
// only when it is full and grows by a quarter. Without gradients.
class SeenPositions {
 public:
  // Appends `now` (B, H, N, D) and returns all positions, valid until the next call.
  at::Tensor with(const at::Tensor& now);

  // The positions of some rows, by their numbers (R) int64.
  SeenPositions of_rows(const at::Tensor& rows) const;

  std::int64_t count() const { return count_; }

 private:
  at::Tensor room_;
  std::int64_t count_ = 0;
};

}  // namespace mgdm::ops
