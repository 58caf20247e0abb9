// Matmuls in bf16 by AMX, the unit of some x86-64 processors (Sapphire Rapids and later) that
// multiplies tiles of matrices, 16x faster than vectors in fp32.
//
// A tile has 16 rows of 64 bytes. One instruction adds to a tile of sums (16, 16) the product of a
// tile of A, (16, 32) in bf16, and a tile of B, (32, 16) in bf16 with two numbers of a column side
// by side. Weights are stored as such tiles: for every 32 columns and 32 rows of B, two of them.
//
// Activations are split, x = high + low with both in bf16, and both parts are multiplied. Rounding
// them to bf16 changed 14 answers of models/sudoku in 1000 (7 if only in an MLP's second matmul).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels.h"

namespace mgdm::runtime {

// The number and height of tiles for the rows of A. The time of an instruction grows with the
// height of its tile, so all tiles have nearly the same.
struct AmxRows {
  explicit AmxRows(std::size_t rows)
      : tiles((rows + 15) / 16), height((rows + tiles - 1) / tiles) {}
  std::size_t tiles, height;
};

// Whether the processor has AMX for bf16 and int8 and the system allows its use; checked once.
bool has_amx();

// Eight tiles as long as it lives: 0-3 sums and 4-5 of A with as many rows as asked, at most 16;
// 6-7 of B. Only where has_amx().
class AmxTurn {
 public:
  explicit AmxTurn(std::size_t rows);
  ~AmxTurn();
  AmxTurn(const AmxTurn&) = delete;
  AmxTurn& operator=(const AmxTurn&) = delete;
};

struct AmxTiles {
  const std::uint16_t* data = nullptr;
  std::size_t depth = 0, columns = 0;
};

// Where number (j, k) of W (out, in) stands: at column(j) + row(k). A tile of B is (16 kSide, 16),
// with kSide numbers of a column side by side, as they fit into 32 bits.
template <std::size_t kSide>
struct TileLayout {
  static constexpr std::size_t kRows = 16, kColumns = 32;  // a panel is two tiles wide
  static constexpr std::size_t kDepth = 16 * kSide, kTile = kRows * kDepth;
  std::size_t in;

  std::size_t steps() const { return (in + kDepth - 1) / kDepth; }
  std::size_t size(std::size_t out) const {
    return (out + kColumns - 1) / kColumns * steps() * 2 * kTile;
  }
  std::size_t column(std::size_t j) const {
    return j / kColumns * steps() * 2 * kTile + j % kColumns / 16 * kTile + j % 16 * kSide;
  }
  std::size_t row(std::size_t k) const {
    return k / kDepth * 2 * kTile + k % kDepth / kSide * kDepth + k % kSide;
  }
};
using AmxLayout = TileLayout<2>;  // of bf16

// For A (rows, depth) in two parts of bf16.
std::size_t amx_scratch_size(std::size_t rows, std::size_t depth);

// The matmul of product.h with B rounded to bf16, A split into two bf16, and sums in fp32. Requires
// has_amx().
void amx_product(ConstRows a, std::size_t rows, const AmxTiles& b, const Ending& ending,
                 MutableRows c, Array<std::uint16_t>& scratch);

}  // namespace mgdm::runtime
