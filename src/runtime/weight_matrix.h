// A weight matrix in the layout of the matmul that this processor uses:
//
//   fp32              in the panels of product.h
//   bf16              the same in half the memory, widened in the product
//   bf16 with AMX     in the tiles of amx.h; activations keep 15 bits
//   int8              in the panels of int8_product.h; activations keep up to 15 bits
//   int8 with AMX     in the tiles of int8_amx.h, with the same results
//
// On arm64 bf16 and int8 are in the panels of arm.h if the processor has the instructions:
// activations keep 15 bits in bf16, and int8 has the same results as elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/int8_product.h"
#include "runtime/kernels.h"

namespace mgdm::runtime {

enum class Arithmetic { kFp32, kBf16, kInt8 };

// "fp32", "bf16" or "int8"; UsageError for another.
Arithmetic arithmetic_named(std::string_view name);

class WeightMatrix {
 public:
  WeightMatrix() = default;

  // y = W x for W (out, in).
  WeightMatrix(std::span<const float> weights, std::size_t out, std::size_t in,
               Arithmetic arithmetic);

  // C = A W^T (rows, out) for A (rows, in), ended as product.h says.
  void multiply(ConstRows a, std::size_t rows, const Ending& ending, MutableRows c,
                Scratch& scratch) const;

  // Row j of W as it is stored, to `in` numbers.
  void read_row(std::size_t j, float* to) const;

  // The scratch that multiply needs; a smaller one grows.
  static std::size_t scratch_size(std::size_t rows, std::size_t in);

  std::size_t bytes() const {
    return floats_.bytes() + narrow_.bytes() + int8s_.bytes() + scales_.bytes();
  }

 private:
  enum class Form { kFloats, kNarrow, kTiles, kArm, kInt8, kInt8Tiles, kInt8Arm };
  static Form form_of(Arithmetic arithmetic);

  Form form_ = Form::kFloats;
  Array<float> floats_;          // kFloats
  Array<std::uint16_t> narrow_;  // kNarrow, kTiles, kArm
  Array<std::int8_t> int8s_;     // kInt8, kInt8Tiles, kInt8Arm, with
  Array<float> scales_;          // one for every row of W
  std::size_t out_ = 0, in_ = 0;
};

// An embedding table: a row of numbers per token or position, in bf16 unless the model is in fp32.
class Table {
 public:
  Table() = default;
  Table(std::span<const float> numbers, std::size_t width, Arithmetic arithmetic);

  bool empty() const { return floats_.empty() && narrow_.empty(); }

  // x += row i.
  void add_row(std::size_t i, float* x) const;

  std::size_t bytes() const { return floats_.bytes() + narrow_.bytes(); }

 private:
  std::size_t width_ = 0;
  Array<float> floats_;  // one of the two
  Array<std::uint16_t> narrow_;
};

}  // namespace mgdm::runtime
