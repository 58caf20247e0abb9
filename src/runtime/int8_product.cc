#include "runtime/int8_product.h"

#include <algorithm>
#include <cstring>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/int8_product.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/floats-inl.h"
#include "vectors/panel_size-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::runtime::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using vectors::HWY_NAMESPACE::kFloats;
using vectors::HWY_NAMESPACE::kLanes;
using vectors::HWY_NAMESPACE::kPanelColumns;
using vectors::HWY_NAMESPACE::kPanelVectors;
using vectors::HWY_NAMESPACE::Vector;

const hn::RebindToSigned<decltype(kFloats)> kInts;
using Ints = hn::Vec<decltype(kInts)>;

// To the sums of kLanes columns, a[0] b[0] + a[1] b[1] for the pairs of b. A sum is in two parts
// where the processor leaves it so.
HWY_INLINE void add_pairs(const std::int16_t* a, const std::int8_t* b, Ints& first, Ints& second) {
#if HWY_TARGET == HWY_SCALAR
  first = hn::Add(first, hn::Set(kInts, a[0] * b[0] + a[1] * b[1]));
  (void)second;
#else
  const hn::Repartition<std::int16_t, decltype(kInts)> shorts;
  const hn::Rebind<std::int8_t, decltype(shorts)> bytes;
  std::int32_t pair;
  std::memcpy(&pair, a, sizeof(pair));
  first = hn::ReorderWidenMulAccumulate(kInts, hn::BitCast(shorts, hn::Set(kInts, pair)),
                                        hn::PromoteTo(shorts, hn::LoadU(bytes, b)), first, second);
#endif
}

HWY_INLINE Ints total(Ints first, Ints second) { return hn::RearrangeToOddPlusEven(first, second); }

// A few rows by two vectors of the panel at a time: their sums stay in registers.
template <std::size_t kRows>
void few_rows(const Int8Tile& tile, std::size_t first_row, std::size_t first_vector) {
  constexpr std::size_t kVectors = 2;
  Ints first[kRows][kVectors], second[kRows][kVectors];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) first[r][v] = second[r][v] = hn::Zero(kInts);
  const std::int16_t* a = tile.a + first_row * tile.a_stride;
  const std::int8_t* b = tile.panel + 2 * first_vector * kLanes;
  for (std::size_t pair = 0; pair < tile.pairs; ++pair, a += 2, b += 2 * kPanelColumns)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v)
        add_pairs(a + r * tile.a_stride, b + 2 * v * kLanes, first[r][v], second[r][v]);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t column = (first_vector + v) * kLanes;
      const Vector scales = hn::Mul(hn::Set(kFloats, tile.row_scales[first_row + r]),
                                    hn::LoadU(kFloats, tile.column_scales + column));
      const Vector sums = hn::ConvertTo(kFloats, total(first[r][v], second[r][v]));
      hn::StoreU(hn::Mul(sums, scales), kFloats,
                 tile.sums + (first_row + r) * kPanelColumns + column);
    }
}

void int8_tile_here(const Int8Tile& tile) {
  static_assert(kPanelVectors % 2 == 0);
  for (std::size_t v = 0; v < kPanelVectors; v += 2) {
    std::size_t row = 0;
    for (; row + 4 <= tile.rows; row += 4) few_rows<4>(tile, row, v);
    for (; row < tile.rows; ++row) few_rows<1>(tile, row, v);
  }
}

}  // namespace
}  // namespace mgdm::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::runtime {
namespace {

std::size_t pairs_of(std::size_t depth) { return (depth + 1) / 2; }

// From one row of A to the next: an odd number of cache lines, as in kernels.h.
std::size_t int8_stride(std::size_t depth) {
  constexpr std::size_t kLine = 32;
  return ((2 * pairs_of(depth) + kLine - 1) / kLine | 1) * kLine;
}

}  // namespace

HWY_EXPORT(int8_tile_here);

namespace {

void vector_tile(const Int8Tile& tile) { HWY_DYNAMIC_DISPATCH(int8_tile_here)(tile); }

}  // namespace

std::size_t int8_scratch_size(std::size_t rows, std::size_t depth) {
  return rows * int8_stride(depth);
}

void product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
             MutableRows c, Scratch& scratch) {
  const std::size_t stride = int8_stride(b.depth), pairs = pairs_of(b.depth),
                    wide = panel_columns();
  scratch.numbers.reserve(int8_scratch_size(rows, b.depth));
  scratch.scales.reserve(rows);
  auto* const whole = reinterpret_cast<std::int16_t*>(scratch.numbers.data());
  for (std::size_t i = 0; i < rows; ++i)
    scratch.scales[i] = quantise_row(a.data + i * a.stride, b.depth, 2 * pairs, whole + i * stride);
  constexpr std::size_t kWidest = 32;  // of all panels
  alignas(64) float sums[kInt8Rows * kWidest];
  const auto multiply = has_vnni() && wide == kWidest ? vnni_tile : vector_tile;
  for (std::size_t j = 0; j < b.columns; j += wide)
    for (std::size_t i = 0; i < rows; i += kInt8Rows) {
      const std::size_t count = std::min(kInt8Rows, rows - i);
      multiply({whole + i * stride, stride, count, scratch.scales.data() + i,
                b.data + j * 2 * pairs, b.scales + j, pairs, sums});
      end_product({sums, wide}, count, j, std::min(wide, b.columns - j), ending,
                  {c.data + i * c.stride + j, c.stride});
    }
}

}  // namespace mgdm::runtime
#endif
