// Rotary positions (Su et al., 2021) as in LLaMA: number i of the first half of a head's vector and
// number i of the second are rotated by the position times the frequency of i.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops {

struct RopeForm {
  std::int64_t size = 0;  // of a head, D
  double theta = 10000;
  // Scaling of frequencies for texts longer than those in training.
  enum class Scaling { kNone, kLinear, kLlama3 } scaling = Scaling::kNone;
  double factor = 1;
  // Llama3: by wave length over `original_positions`; between the two it changes smoothly.
  double low_frequency = 1, high_frequency = 4;
  double original_positions = 8192;
};

// Cosines and sines of the positions first ... first + count - 1: (N, D / 2) float each.
struct Turns {
  at::Tensor cosines, sines;
};
Turns rope_turns(const RopeForm& form, std::int64_t first, std::int64_t count, c10::Device device);

// x (B, H, N, D) turned, in its own type.
at::Tensor rope(const at::Tensor& x, const Turns& turns);

}  // namespace mgdm::ops
