// Matmuls with int8 weights (quantised.h).
//
// W (out, in) lies as B (in, out) in panels of P = panel_columns() columns; panel p has, one behind
// the other, pairs of rows: for every column numbers 2k and 2k+1 side by side, as the instructions
// want them that multiply two pairs of 16 bits and add both to a sum of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels.h"
#include "runtime/quantised.h"

namespace mgdm::runtime {

// A thread's buffer for the quantised rows of activations in a matmul.
struct Scratch {
  Array<std::uint16_t> numbers;
  Array<float> scales;  // of the rows
};

struct Int8Panels {
  const std::int8_t* data = nullptr;
  const float* scales = nullptr;  // of the columns, padded like them
  std::size_t depth = 0, columns = 0;
};

// Where number (j, k) of W (out, in) stands: at column(j) + row(k).
struct Int8PanelLayout {
  std::size_t in, wide = panel_columns();

  std::size_t pairs() const { return (in + 1) / 2; }
  std::size_t size(std::size_t out) const { return (out + wide - 1) / wide * wide * 2 * pairs(); }
  std::size_t column(std::size_t j) const { return j / wide * wide * 2 * pairs() + j % wide * 2; }
  std::size_t row(std::size_t k) const { return k / 2 * wide * 2 + k % 2; }
};

// As product.h says.
void product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
             MutableRows c, Scratch& scratch);

// Numbers of 16 bits that it puts into the scratch.
std::size_t int8_scratch_size(std::size_t rows, std::size_t depth);

// Sums, times both scales, of at most kInt8Rows rows of A and a panel. A has `pairs` pairs of
// numbers in a row, and so has the panel.
inline constexpr std::size_t kInt8Rows = 12;
struct Int8Tile {
  const std::int16_t* a = nullptr;
  std::size_t a_stride = 0, rows = 0;
  const float* row_scales = nullptr;
  const std::int8_t* panel = nullptr;
  const float* column_scales = nullptr;
  std::size_t pairs = 0;
  float* sums = nullptr;  // (rows, P)
};

// As above by AVX-512's VNNI, for panels of 32 columns.
bool has_vnni();
void vnni_tile(const Int8Tile& tile);

}  // namespace mgdm::runtime
