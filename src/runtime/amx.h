// Products in bf16 by AMX: the unit of some x86-64 processors (Sapphire Rapids and later) that
// multiplies tiles of matrices, sixteen times as fast as vectors do in fp32.
//
// A tile has 16 rows of 64 bytes. One instruction adds to a tile of sums (16, 16) the product of a
// tile of A, (16, 32) in bf16, and a tile of B, (32, 16) in bf16 with two numbers of a column side
// by side. Weights are stored as such tiles: for every 32 columns and 32 rows of B, two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels.h"

namespace mgdm::runtime {

// Whether the processor has it and the system lets us use it; asked once.
bool has_amx();

struct AmxTiles {
  const std::uint16_t* data = nullptr;
  std::size_t depth = 0, columns = 0;
};

// W (out, in) as B (in, out); padded with zeros.
Array<std::uint16_t> in_amx_tiles(std::span<const float> weights, std::size_t out, std::size_t in);

// For A (rows, depth) in bf16.
std::size_t amx_scratch_size(std::size_t rows, std::size_t depth);

// As product.h says, A and B rounded to bf16 and the sums in fp32. Only where has_amx().
void amx_product(ConstRows a, std::size_t rows, const AmxTiles& b, const Ending& ending,
                 MutableRows c, Array<std::uint16_t>& scratch);

}  // namespace mgdm::runtime
