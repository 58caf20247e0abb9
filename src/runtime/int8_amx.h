// Matmuls with int8 weights by AMX (amx.h): a tile of A is (16, 64), one of B (64, 16) with
// four numbers of a column side by side.
//
// Activations of 15 bits (quantised.h) are split, a = 128 high + low, and both parts are
// multiplied. The sums equal those of int8_product.h bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/amx.h"
#include "runtime/int8_product.h"
#include "runtime/kernels.h"

namespace mgdm::runtime {

using Int8AmxLayout = TileLayout<4>;

// Numbers of 16 bits that a product puts into the scratch.
std::size_t int8_amx_scratch_size(std::size_t rows, std::size_t depth);

// As product.h says. Only where has_amx(); b's data are tiles.
void int8_amx_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                      MutableRows c, Scratch& scratch);

}  // namespace mgdm::runtime
