// Keys or values of the positions that a decoder has seen.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops {

// (B, H, M, D), in memory with room for more: positions that come one by one are written behind the
// others, which are copied only when the room is full, and get a quarter more then. Without
// gradients.
class SeenPositions {
 public:
  // Puts `now` (B, H, N, D) behind what was seen -> all of them, for as long as nothing is added.
  at::Tensor with(const at::Tensor& now);

  // Those of some rows, by their numbers (R) int64.
  SeenPositions of_rows(const at::Tensor& rows) const;

  std::int64_t count() const { return count_; }

 private:
  at::Tensor room_;
  std::int64_t count_ = 0;
};

}  // namespace mgdm::ops
