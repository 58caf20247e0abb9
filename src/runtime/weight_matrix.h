// A matrix of weights, stored as the product on this processor reads it:
//
//   fp32              in the panels of product.h
//   bf16              the same in half the memory, widened in the product
//   bf16 with AMX     in the tiles of amx.h; activations are rounded to bf16, too
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/kernels.h"

namespace mgdm::runtime {

enum class Arithmetic { kFp32, kBf16 };

// "fp32" or "bf16"; UsageError for another.
Arithmetic arithmetic_named(std::string_view name);

// Of one thread, for rows of activations on their way into a product.
using Scratch = Array<std::uint16_t>;

class WeightMatrix {
 public:
  WeightMatrix() = default;

  // y = W x for W (out, in).
  WeightMatrix(std::span<const float> weights, std::size_t out, std::size_t in,
               Arithmetic arithmetic);

  // C = A W^T (rows, out) for A (rows, in), ended as product.h says.
  void multiply(ConstRows a, std::size_t rows, const Ending& ending, MutableRows c,
                Scratch& scratch) const;

  // The most that multiply puts into the scratch; it grows there otherwise.
  static std::size_t scratch_size(std::size_t rows, std::size_t in);

 private:
  enum class Form { kFloats, kNarrow, kTiles };

  Form form_ = Form::kFloats;
  Array<float> floats_;          // kFloats
  Array<std::uint16_t> narrow_;  // kNarrow, kTiles
  std::size_t out_ = 0, in_ = 0;
};

}  // namespace mgdm::runtime
