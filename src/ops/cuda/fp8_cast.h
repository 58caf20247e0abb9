// Matrices rounded to 8-bit floats, for products in fp8.
//
//   code = round(x / scale)    where the scale is the least power of two with |x| / scale <= 448
//                              (e4m3) or 57344 (e5m2) for every number of the matrix
//
// Rounding is to the nearest code, ties to the even one. A power of two changes nothing else about
// a number, so the rounding is all that is lost. Where a number is infinite or none the scale is
// NaN: such a matrix is not hidden. One of zeros has scale 1.
//
// Those products want the numbers of a sum side by side in both matrices, so that a product and its
// gradients need a matrix as it is and turned: both come from one pass. Two passes are made in all,
// the first for the largest number; nothing waits for the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ops/cuda/bias_activation.h"
#include "ops/cuda/number_type.h"

namespace mgdm::ops::cuda {

// What is rounded, never written itself: x; or with an activation f(x + bias); or with dy too, its
// gradient dy f'(x + bias). All (rows, columns) and contiguous.
struct Fp8Source {
  const void* x;
  NumberType type = NumberType::kBfloat16;  // of x: bf16, or float without an activation
  std::optional<Activation> activation{};
  const float* bias = nullptr;  // (columns), or null
  const void* dy = nullptr;     // bf16
};

struct Fp8Cast {
  Fp8Source of;
  NumberType type;             // e4m3 or e5m2
  std::int64_t rows, columns;  // columns: a multiple of 8
  void* codes;                 // (rows, columns)
  void* turned;                // (columns, fp8_turned_length(rows)), with zeros after the last row
  float* largest;              // (1): the largest absolute value
  float* scale;                // (1)
  float* sums = nullptr;       // (columns): the sum of the rows before they are rounded, or null
  float* workspace = nullptr;  // for the sums
};

void launch_fp8_cast(const Fp8Cast& cast, cudaStream_t stream);

// Products take rows of a multiple of 16 numbers.
inline std::int64_t fp8_turned_length(std::int64_t rows) { return (rows + 15) / 16 * 16; }

// Bytes of workspace for sums; the same bits come out in every run.
std::size_t fp8_cast_workspace(std::int64_t columns);

}  // namespace mgdm::ops::cuda
