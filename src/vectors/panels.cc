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

// to[k P + j] = from[j stride + k] for j and k below the given numbers.
void transpose(const float* from, std::size_t stride, std::size_t rows, std::size_t depth,
               float* to) {
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t k = 0; k < depth; ++k) to[k * kPanelColumns + j] = from[j * stride + k];
}

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kBlock = kPanelColumns + 1;  // there are none
void transpose_block(const float*, std::size_t, float*) {}
#else
// The same for j and k below 4, in registers.
constexpr std::size_t kBlock = 4;
HWY_INLINE void transpose_block(const float* from, std::size_t stride, float* to) {
  const hn::FixedTag<float, kBlock> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + stride),
             c = hn::LoadU(d, from + 2 * stride), e = hn::LoadU(d, from + 3 * stride);
  const auto ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);  // a0 c0 a1 c1
  hn::StoreU(hn::InterleaveLower(d, ac, be), d, to);
  hn::StoreU(hn::InterleaveUpper(d, ac, be), d, to + kPanelColumns);
  const auto upper_ac = hn::InterleaveUpper(d, a, c), upper_be = hn::InterleaveUpper(d, b, e);
  hn::StoreU(hn::InterleaveLower(d, upper_ac, upper_be), d, to + 2 * kPanelColumns);
  hn::StoreU(hn::InterleaveUpper(d, upper_ac, upper_be), d, to + 3 * kPanelColumns);
}
#endif

void pack_transposed_here(ConstRows b, std::size_t depth, std::size_t columns, float* to) {
  for (std::size_t first = 0; first < columns;
       first += kPanelColumns, to += depth * kPanelColumns) {
    const float* const from = b.data + first * b.stride;
    const std::size_t wide = std::min(kPanelColumns, columns - first);
    std::size_t j = 0;
    for (; j + kBlock <= wide; j += kBlock) {
      std::size_t k = 0;
      for (; k + kBlock <= depth; k += kBlock)
        transpose_block(from + j * b.stride + k, b.stride, to + k * kPanelColumns + j);
      transpose(from + j * b.stride + k, b.stride, kBlock, depth - k, to + k * kPanelColumns + j);
    }
    transpose(from + j * b.stride, b.stride, wide - j, depth, to + j);
  }
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {

HWY_EXPORT(pack_here);
HWY_EXPORT(pack_transposed_here);

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

}  // namespace mgdm::vectors
#endif
