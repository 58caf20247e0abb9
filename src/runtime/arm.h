// Matmuls by the low-precision instructions of arm64, on vectors of 16 bytes:
//
//   SDOT    dot products of four numbers in int8, added to four sums
//   SMMLA   a product of matrices in int8, (2, 8) by (8, 2), added to four sums
//   BFMMLA  the same in bf16, (2, 4) by (4, 2)
//
// Activations are split into a high and a low part, as in amx.h and int8_amx.h, and both are
// multiplied. A row of A is, for every 8 numbers of int8 or 4 of bf16, the eight bytes of their
// high parts and then the eight of their low ones: these are the two rows of a small matrix, so
// that a single row of A is as good as many. Sums in int8 are those of int8_product.h, to the last
// bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/int8_product.h"
#include "runtime/kernels.h"

namespace mgdm::runtime {

// Whether the processor has the instruction, and the system lets us use it.
bool has_sdot();
bool has_smmla();
bool has_bfmmla();

// Where number (j, k) of W (out, in) stands: at column(j) + row(k). B lies in panels of 8 columns;
// a panel has, one behind the other, the next kSide numbers, eight bytes, of every column.
template <std::size_t kSide>
struct ArmLayout {
  static constexpr std::size_t kColumns = 8;
  std::size_t in;

  std::size_t steps() const { return (in + kSide - 1) / kSide; }
  std::size_t size(std::size_t out) const {
    return (out + kColumns - 1) / kColumns * steps() * kColumns * kSide;
  }
  std::size_t column(std::size_t j) const {
    return j / kColumns * steps() * kColumns * kSide + j % kColumns * kSide;
  }
  std::size_t row(std::size_t k) const { return k / kSide * kColumns * kSide + k % kSide; }
};
using Int8ArmLayout = ArmLayout<8>;
using Bf16ArmLayout = ArmLayout<4>;

struct Bf16ArmPanels {
  const std::uint16_t* data = nullptr;
  std::size_t depth = 0, columns = 0;
};

// Numbers of 16 bits that a product, whichever it is, puts into the scratch.
std::size_t arm_scratch_size(std::size_t rows, std::size_t depth);

// As product.h says, B rounded to bf16, A to twice its bits, and the sums in fp32. Only where
// has_bfmmla().
void bfmmla_product(ConstRows a, std::size_t rows, const Bf16ArmPanels& b, const Ending& ending,
                    MutableRows c, Array<std::uint16_t>& scratch);

// As product.h says. Only where has_sdot() or has_smmla(); both read b's data in Int8ArmLayout.
void sdot_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                  MutableRows c, Scratch& scratch);
void smmla_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                   MutableRows c, Scratch& scratch);

}  // namespace mgdm::runtime
