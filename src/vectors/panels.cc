#include "vectors/panels.h"

#include <algorithm>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/panels.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/floats-inl.h"
#include "vectors/panel_size-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

void pack_here(ConstRows b, std::size_t depth, std::size_t columns, float* to) {
  for (std::size_t j = 0; j < columns; j += kPanelColumns)
    for (std::size_t k = 0; k < depth; ++k, to += kPanelColumns) {
      const float* const from = b.data + k * b.stride + j;
      if (j + kPanelColumns <= columns) {
        for (std::size_t v = 0; v < kPanelColumns; v += kLanes)
          hn::Store(hn::LoadU(kFloats, from + v), kFloats, to + v);
      } else {
        std::copy(from, from + (columns - j), to);
      }
    }
}

// to[k][j] = from[j][k] for j and k below the given numbers, one by one.
void transpose_singly(ConstRows from, std::size_t rows, std::size_t columns, MutableRows to) {
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t k = 0; k < columns; ++k)
      to.data[k * to.stride + j] = from.data[j * from.stride + k];
}

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kBlock = 1;
void transpose_block(ConstRows from, MutableRows to) { transpose_singly(from, 1, 1, to); }
#else
// Handles j and k below 4 in registers.
constexpr std::size_t kBlock = 4;
HWY_INLINE void transpose_block(ConstRows from, MutableRows to) {
  const hn::FixedTag<float, kBlock> d;
  const auto a = hn::LoadU(d, from.data), b = hn::LoadU(d, from.data + from.stride),
             c = hn::LoadU(d, from.data + 2 * from.stride),
             e = hn::LoadU(d, from.data + 3 * from.stride);
  const auto ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);  // a0 c0 a1 c1
  hn::StoreU(hn::InterleaveLower(d, ac, be), d, to.data);
  hn::StoreU(hn::InterleaveUpper(d, ac, be), d, to.data + to.stride);
  const auto upper_ac = hn::InterleaveUpper(d, a, c), upper_be = hn::InterleaveUpper(d, b, e);
  hn::StoreU(hn::InterleaveLower(d, upper_ac, upper_be), d, to.data + 2 * to.stride);
  hn::StoreU(hn::InterleaveUpper(d, upper_ac, upper_be), d, to.data + 3 * to.stride);
}
#endif

void transpose_here(ConstRows from, std::size_t rows, std::size_t columns, MutableRows to) {
  if (columns == 0) return;
  std::size_t j = 0;
  for (; j + kBlock <= rows; j += kBlock) {
    const ConstRows four{from.data + j * from.stride, from.stride};
    std::size_t k = 0;
    for (; k + kBlock <= columns; k += kBlock)
      transpose_block({four.data + k, four.stride}, {to.data + k * to.stride + j, to.stride});
    transpose_singly({four.data + k, four.stride}, kBlock, columns - k,
                     {to.data + k * to.stride + j, to.stride});
  }
  transpose_singly({from.data + j * from.stride, from.stride}, rows - j, columns,
                   {to.data + j, to.stride});
}

void pack_transposed_here(ConstRows b, std::size_t depth, std::size_t columns, float* to) {
  for (std::size_t j = 0; j < columns; j += kPanelColumns, to += depth * kPanelColumns)
    transpose_here({b.data + j * b.stride, b.stride}, std::min(kPanelColumns, columns - j), depth,
                   {to, kPanelColumns});
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {

HWY_EXPORT(pack_here);
HWY_EXPORT(pack_transposed_here);
HWY_EXPORT(transpose_here);

std::size_t panels_size(std::size_t depth, std::size_t columns) {
  const std::size_t wide = panel_columns();
  return (columns + wide - 1) / wide * wide * depth;
}

Panels pack(ConstRows b, std::size_t depth, std::size_t columns, float* to) {
  HWY_DYNAMIC_DISPATCH(pack_here)(b, depth, columns, to);
  return {to, panel_columns() * depth, depth, columns};
}

Panels pack_transposed(ConstRows b, std::size_t depth, std::size_t columns, float* to) {
  HWY_DYNAMIC_DISPATCH(pack_transposed_here)(b, depth, columns, to);
  return {to, panel_columns() * depth, depth, columns};
}

void transpose(ConstRows from, std::size_t rows, std::size_t columns, MutableRows to) {
  HWY_DYNAMIC_DISPATCH(transpose_here)(from, rows, columns, to);
}

}  // namespace mgdm::vectors
#endif
