#include "vectors/product.h"

#include <algorithm>
#include <array>
#include <utility>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/product.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/floats-inl.h"
#include "vectors/gelu-inl.h"
#include "vectors/panel_size-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

// A tile has kMostRows rows of kPanelVectors vectors: its sums, a vector of B each and one number
// of A must fit into the registers, 16 or 32. On NEON, the 24 sums, a vector of A for each row and
// one or two of B.
#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kMostRows = 2;  // right, not fast
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || MGDM_NEON
constexpr std::size_t kMostRows = 6;
#else
constexpr std::size_t kMostRows = 12;
#endif

template <Activation kActivation>
HWY_INLINE Vector activate(Vector x) {
  if constexpr (kActivation == Activation::kGelu) {
    return gelu(x);
  } else if constexpr (kActivation == Activation::kReluSquared) {
    const Vector positive = hn::Max(x, hn::Zero(kFloats));
    return hn::Mul(positive, positive);
  } else {
    return x;
  }
}

// The last step for rows of sums that go to columns first_column, first_column + 1, ... of C.
template <Activation kActivation>
void end_rows(ConstRows sums, std::size_t rows, std::size_t first_column, std::size_t columns,
              const Ending& ending, MutableRows c) {
  const float* const bias = ending.bias == nullptr ? nullptr : ending.bias + first_column;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const from = sums.data + i * sums.stride;
    float* const to = c.data + i * c.stride;
    std::size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      Vector x = hn::LoadU(kFloats, from + j);
      if (bias != nullptr) x = hn::Add(x, hn::LoadU(kFloats, bias + j));
      x = activate<kActivation>(x);
      if (ending.add) x = hn::Add(x, hn::LoadU(kFloats, to + j));
      hn::StoreU(x, kFloats, to + j);
    }
    if (j == columns) continue;
    // The last columns fill no vector; nothing beyond them is touched.
    Vector x = hn::LoadU(kFloats, from + j);
    if (bias != nullptr) x = hn::Add(x, load_part(bias + j, columns - j));
    x = activate<kActivation>(x);
    if (ending.add) x = hn::Add(x, load_part(to + j, columns - j));
    store_part(x, columns - j, to + j);
  }
}

void end_product_here(ConstRows sums, std::size_t rows, std::size_t first_column,
                      std::size_t columns, const Ending& ending, MutableRows c) {
  switch (ending.activation) {
    case Activation::kNone:
      return end_rows<Activation::kNone>(sums, rows, first_column, columns, ending, c);
    case Activation::kGelu:
      return end_rows<Activation::kGelu>(sums, rows, first_column, columns, ending, c);
    case Activation::kReluSquared:
      return end_rows<Activation::kReluSquared>(sums, rows, first_column, columns, ending, c);
  }
}

// A vector of a panel.
HWY_INLINE Vector load_wide(const float* from) { return hn::Load(kFloats, from); }
HWY_INLINE Vector load_wide(const std::uint16_t* from) {  // bf16 is the upper half of a float
  const hn::Rebind<std::uint16_t, decltype(kFloats)> narrow;
  const hn::RebindToUnsigned<decltype(kFloats)> wide;
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::Load(narrow, from))));
}

// A, whose number k of row i is data[i stride + k step]: a matrix in memory, or its transpose.
struct Left {
  const float* data;
  std::size_t stride, step;
};

#if MGDM_NEON
// Adds number kNumber of each row's vector of A by a row of the panel.
template <int kNumber, class T, std::size_t kRows, std::size_t kWide>
HWY_INLINE void add_row(const Vector (&a)[kRows], const T* panel, Vector (&sums)[kRows][kWide]) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kWide; ++v) {
    const Vector b = load_wide(panel + v * kLanes);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r)
      sums[r][v] = hn::MulAdd(b, hn::Broadcast<kNumber>(a[r]), sums[r][v]);
  }
}

// Four numbers of every row of A, side by side in memory, by four rows of the panel: NEON
// multiplies by any one number of a vector, so that A takes a load for each vector, not for each
// number.
template <class T, std::size_t kRows, std::size_t kWide>
HWY_INLINE void add_four_rows(const float* a, std::size_t stride, const T* panel,
                              Vector (&sums)[kRows][kWide]) {
  Vector x[kRows];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) x[r] = hn::LoadU(kFloats, a + r * stride);
  add_row<0>(x, panel, sums);
  add_row<1>(x, panel + kPanelColumns, sums);
  add_row<2>(x, panel + 2 * kPanelColumns, sums);
  add_row<3>(x, panel + 3 * kPanelColumns, sums);
}
#endif

// The last step for a tile in registers, all of whose columns count: bias and C, no activation.
template <std::size_t kRows, std::size_t kWide>
HWY_INLINE void end_whole(Vector (&sums)[kRows][kWide], const Ending& ending,
                          std::size_t first_column, MutableRows c) {
  if (ending.bias != nullptr) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kWide; ++v) {
      const Vector bias = hn::LoadU(kFloats, ending.bias + first_column + v * kLanes);
#pragma GCC unroll 12
      for (std::size_t r = 0; r < kRows; ++r) sums[r][v] = hn::Add(sums[r][v], bias);
    }
  }
  if (ending.add) {
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kWide; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::LoadU(kFloats, c.data + r * c.stride + v * kLanes));
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kWide; ++v)
      hn::StoreU(sums[r][v], kFloats, c.data + r * c.stride + v * kLanes);
}

// kRows rows of A by the first vectors of a panel; `columns` of the results count. Meanwhile the
// next panel is fetched from afar: a number of it at `ahead` and then at every `ahead_step`, on
// NEON every fourth of these, which is where a cache line begins as long as there are four tiles.
template <class T, std::size_t kRows, std::size_t kWide>
void tile(Left a, const T* panel, std::size_t depth, const Ending& ending, std::size_t first_column,
          std::size_t columns, MutableRows c, const T* ahead, std::size_t ahead_step) {
  Vector sums[kRows][kWide];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kWide; ++v) sums[r][v] = hn::Zero(kFloats);
  const float* from_a = a.data;
  std::size_t k = 0;
#if MGDM_NEON
  if (a.step == 1)
    for (; k + 4 <= depth;
         k += 4, from_a += 4, panel += 4 * kPanelColumns, ahead += 4 * ahead_step) {
      __builtin_prefetch(ahead, /*rw=*/0, /*locality=*/2);
      add_four_rows(from_a, a.stride, panel, sums);
    }
#endif
  for (; k < depth; ++k, from_a += a.step, panel += kPanelColumns, ahead += ahead_step) {
    __builtin_prefetch(ahead, /*rw=*/0, /*locality=*/2);
    Vector b[kWide];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kWide; ++v) b[v] = load_wide(panel + v * kLanes);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector x = hn::Set(kFloats, from_a[r * a.stride]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kWide; ++v) sums[r][v] = hn::MulAdd(x, b[v], sums[r][v]);
    }
  }
  if (columns == kWide * kLanes && ending.activation == Activation::kNone)
    return end_whole(sums, ending, first_column, c);
  HWY_ALIGN float stored[kRows][kWide * kLanes];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kWide; ++v) hn::Store(sums[r][v], kFloats, stored[r] + v * kLanes);
  end_product_here({stored[0], kWide * kLanes}, kRows, first_column, columns, ending, c);
}

template <class T>
using Tile = decltype(&tile<T, 1, 1>);

template <class T, std::size_t kWide, std::size_t... kRows>
constexpr std::array<Tile<T>, kMostRows> tiles_of_rows(std::index_sequence<kRows...>) {
  return {&tile<T, kRows + 1, kWide>...};
}

template <class T, std::size_t... kVectors>
constexpr std::array<std::array<Tile<T>, kMostRows>, kPanelVectors> all_tiles(
    std::index_sequence<kVectors...>) {
  return {tiles_of_rows<T, kVectors + 1>(std::make_index_sequence<kMostRows>())...};
}

// [vectors - 1][rows - 1]
template <class T>
constexpr auto kTiles = all_tiles<T>(std::make_index_sequence<kPanelVectors>());

std::size_t panel_columns_here() { return kPanelColumns; }

// For rows of A that fit into a core's cache.
template <class T>
void product_of_block(Left a, std::size_t rows, const PanelsOf<T>& b, const Ending& ending,
                      MutableRows c) {
  // As few tiles as there must be, all of nearly the same height: a low one is slow.
  const std::size_t tiles = (rows + kMostRows - 1) / kMostRows;
  // Each of a panel's tiles fetches a part of the next one.
  const std::size_t ahead_step = (kPanelColumns + tiles - 1) / tiles;
  const T* panel = b.data;
  for (std::size_t j = 0; j < b.columns; j += kPanelColumns, panel += b.next_panel) {
    const std::size_t columns = std::min(kPanelColumns, b.columns - j);
    const auto& by_rows = kTiles<T>[(columns - 1) / kLanes];
    for (std::size_t t = 0; t < tiles; ++t) {
      const std::size_t first = rows * t / tiles, height = rows * (t + 1) / tiles - first;
      by_rows[height - 1]({a.data + first * a.stride, a.stride, a.step}, panel, b.depth, ending, j,
                          columns, {c.data + first * c.stride + j, c.stride},
                          panel + b.next_panel + b.depth * ahead_step * t, ahead_step);
    }
  }
}

template <class T>
void product_of(Left a, std::size_t rows, const PanelsOf<T>& b, const Ending& ending,
                MutableRows c) {
  // Few enough rows to stay in the cache while A is read again for every panel, but not so few that
  // the panels come from afar for little. Whole tiles but for the last.
  constexpr std::size_t kNumbers = 32768, kFewest = 4 * kMostRows;
  const std::size_t fitting = kNumbers / (b.depth + 1) / kMostRows * kMostRows,
                    block = std::max(kFewest, fitting);
  for (std::size_t first = 0; first < rows; first += block)
    product_of_block({a.data + first * a.stride, a.stride, a.step}, std::min(block, rows - first),
                     b, ending, {c.data + first * c.stride, c.stride});
}

void product_here(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending,
                  MutableRows c) {
  product_of({a.data, a.stride, 1}, rows, b, ending, c);
}

void transposed_product_here(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending,
                             MutableRows c) {
  product_of({a.data, 1, a.stride}, rows, b, ending, c);
}

void narrow_product_here(ConstRows a, std::size_t rows, const NarrowPanels& b, const Ending& ending,
                         MutableRows c) {
  product_of({a.data, a.stride, 1}, rows, b, ending, c);
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {

HWY_EXPORT(panel_columns_here);
HWY_EXPORT(product_here);
HWY_EXPORT(transposed_product_here);
HWY_EXPORT(narrow_product_here);
HWY_EXPORT(end_product_here);

std::size_t panel_columns() { return HWY_DYNAMIC_DISPATCH(panel_columns_here)(); }

void product(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending, MutableRows c) {
  HWY_DYNAMIC_DISPATCH(product_here)(a, rows, b, ending, c);
}

void transposed_product(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending,
                        MutableRows c) {
  HWY_DYNAMIC_DISPATCH(transposed_product_here)(a, rows, b, ending, c);
}

void product(ConstRows a, std::size_t rows, const NarrowPanels& b, const Ending& ending,
             MutableRows c) {
  HWY_DYNAMIC_DISPATCH(narrow_product_here)(a, rows, b, ending, c);
}

void end_product(ConstRows sums, std::size_t rows, std::size_t first_column, std::size_t columns,
                 const Ending& ending, MutableRows c) {
  HWY_DYNAMIC_DISPATCH(end_product_here)(sums, rows, first_column, columns, ending, c);
}

}  // namespace mgdm::vectors
#endif
