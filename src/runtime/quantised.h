// Quantisation for matmuls with int8 weights:
//
//   W[j][k] ~ scale[j] w[j][k],   w whole, -127 .. 127
//   A[i][k] ~ scale[i] a[i][k],   a whole, -most .. most
//   C[i][j] = scale[i] scale[j] sum over k of a[i][k] w[j][k]
//
// Each scale is the smallest with which the largest number of its row fits. Activations keep more
// bits than weights, because their rounding changes answers: `most` is 127 * 128, or less if the
// sum over k needs it to fit 32 bits. So sums are exact and equal on every processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels.h"

namespace mgdm::runtime {

struct QuantisedWeights {
  std::vector<std::int8_t> numbers;  // (out, in)
  Array<float> scales;               // (out), and zeros for the padding of the last panel
};
QuantisedWeights quantised(std::span<const float> weights, std::size_t out, std::size_t in);

inline constexpr std::int32_t kLowBits = 7;  // of an activation that is split: see int8_amx.h
std::int32_t most_activation(std::size_t depth);

// A row of A, and its scale. `to` is filled with zeros up to `padded` numbers, a multiple of 2. A
// row with a NaN or an infinity gets the scale NaN, and so do all results from it.
float quantise_row(const float* from, std::size_t depth, std::size_t padded, std::int16_t* to);

}  // namespace mgdm::runtime
