// Products with weights in int8 by AMX (amx.h): a tile of A is (16, 64), one of B (64, 16) with
// four numbers of a column side by side.
//
// Activations of 15 bits (quantised.h) are taken apart, a = 128 high + low, and both are
// multiplied: the sums are the same as in int8_product.h, to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/int8_product.h"
#include "runtime/kernels.h"

namespace mgdm::runtime {

// Where number (j, k) of W (out, in) stands: at column(j) + row(k).
struct Int8AmxLayout {
  static constexpr std::size_t kRows = 16, kDepth = 64, kColumns = 32;  // a panel is two tiles wide
  static constexpr std::size_t kTile = kRows * kDepth;
  std::size_t in;

  std::size_t steps() const { return (in + kDepth - 1) / kDepth; }
  std::size_t size(std::size_t out) const {
    return (out + kColumns - 1) / kColumns * steps() * 2 * kTile;
  }
  std::size_t column(std::size_t j) const {
    return j / kColumns * steps() * 2 * kTile + j % kColumns / 16 * kTile + j % 16 * 4;
  }
  std::size_t row(std::size_t k) const {
    return k / kDepth * 2 * kTile + k % kDepth / 4 * kDepth + k % 4;
  }
};

// Numbers of 16 bits that a product puts into the scratch.
std::size_t int8_amx_scratch_size(std::size_t rows, std::size_t depth);

// As product.h says. Only where has_amx(); b's data are tiles.
void int8_amx_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                      MutableRows c, Scratch& scratch);

}  // namespace mgdm::runtime
