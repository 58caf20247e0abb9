#include "runtime/int8_amx.h"

#include <algorithm>

#include "base/error.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace mgdm::runtime {
namespace {

using Tiles = Int8AmxLayout;

std::size_t int8_steps(std::size_t depth) { return Tiles{depth}.steps(); }

// From one row of A, both parts, to the next: an odd number of cache lines, as in kernels.h.
std::size_t int8_row_bytes(std::size_t depth) { return (2 * int8_steps(depth) | 1) * 64; }

}  // namespace

std::size_t int8_amx_scratch_size(std::size_t rows, std::size_t depth) {
  // Full tiles of rows, and behind them one row before it is taken apart.
  return (rows + 15) / 16 * 16 * int8_row_bytes(depth) / 2 + int8_steps(depth) * Tiles::kDepth;
}

#ifdef __x86_64__

namespace {

// A row of whole numbers in two parts, each of `depth` bytes, a multiple of 64.
__attribute__((target("avx512f,avx512bw"))) void split_whole(const std::int16_t* from,
                                                             std::size_t depth, std::int8_t* to) {
  const __m512i half = _mm512_set1_epi16(1 << (kLowBits - 1));
  for (std::size_t k = 0; k < depth; k += 32) {
    const __m512i a = _mm512_loadu_si512(from + k);
    const __m512i high = _mm512_srai_epi16(_mm512_add_epi16(a, half), kLowBits);
    const __m512i low = _mm512_sub_epi16(a, _mm512_slli_epi16(high, kLowBits));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + k), _mm512_maskz_cvtepi16_epi8(~0u, high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + depth + k),
                        _mm512_maskz_cvtepi16_epi8(~0u, low));
  }
}

// The four tiles of sums that 16 rows and a panel have: high and low, two each.
struct alignas(64) Int8Sums {
  std::int32_t high[16][Tiles::kColumns], low[16][Tiles::kColumns];
};

__attribute__((target("amx-tile,amx-int8"))) void multiply_int8_tiles(const std::int8_t* a,
                                                                      std::size_t a_bytes,
                                                                      const std::int8_t* panel,
                                                                      std::size_t steps,
                                                                      Int8Sums& sums) {
  const std::size_t low_part = steps * Tiles::kDepth;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t step = 0; step < steps; ++step, a += Tiles::kDepth, panel += 2 * Tiles::kTile) {
    _tile_loadd(6, panel, 64);
    _tile_loadd(7, panel + Tiles::kTile, 64);
    _tile_loadd(4, a, a_bytes);
    _tile_loadd(5, a + low_part, a_bytes);
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  constexpr std::size_t kRowBytes = Tiles::kColumns * sizeof(std::int32_t);
  _tile_stored(0, sums.high, kRowBytes);
  _tile_stored(1, &sums.high[0][16], kRowBytes);
  _tile_stored(2, sums.low, kRowBytes);
  _tile_stored(3, &sums.low[0][16], kRowBytes);
}

__attribute__((target("avx512f"))) void scale_sums(const Int8Sums& sums, std::size_t rows,
                                                   const float* row_scales,
                                                   const float* column_scales, float* to) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < Tiles::kColumns; j += 16) {
      const __m512i high = _mm512_load_si512(&sums.high[i][j]);
      const __m512i both = _mm512_add_epi32(_mm512_maskz_slli_epi32(0xFFFF, high, kLowBits),
                                            _mm512_load_si512(&sums.low[i][j]));
      const __m512 scales =
          _mm512_mul_ps(_mm512_set1_ps(row_scales[i]), _mm512_loadu_ps(column_scales + j));
      _mm512_store_ps(to + i * Tiles::kColumns + j,
                      _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, both), scales));
    }
}

}  // namespace

void int8_amx_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                      MutableRows c, Scratch& scratch) {
  if (rows == 0) return;
  const std::size_t bytes = int8_row_bytes(b.depth), steps = int8_steps(b.depth),
                    depth = steps * Tiles::kDepth;
  scratch.numbers.reserve(int8_amx_scratch_size(rows, b.depth));
  scratch.scales.reserve(rows);
  auto* const parts = reinterpret_cast<std::int8_t*>(scratch.numbers.data());
  auto* const whole =
      reinterpret_cast<std::int16_t*>(scratch.numbers.data()) + (rows + 15) / 16 * 16 * bytes / 2;
  for (std::size_t i = 0; i < rows; ++i) {
    scratch.scales[i] = quantise_row(a.data + i * a.stride, b.depth, depth, whole);
    split_whole(whole, depth, parts + i * bytes);
  }
  Int8Sums sums;
  alignas(64) float scaled[16 * Tiles::kColumns];
  const std::size_t high = AmxRows(rows).height;
  const AmxTurn turn(high);
  const std::int8_t* panel = b.data;
  for (std::size_t j = 0; j < b.columns; j += Tiles::kColumns, panel += steps * 2 * Tiles::kTile)
    for (std::size_t i = 0; i < rows; i += high) {
      const std::size_t count = std::min(high, rows - i);
      multiply_int8_tiles(parts + i * bytes, bytes, panel, steps, sums);
      scale_sums(sums, count, scratch.scales.data() + i, b.scales + j, scaled);
      end_product({scaled, Tiles::kColumns}, count, j, std::min(Tiles::kColumns, b.columns - j),
                  ending, {c.data + i * c.stride + j, c.stride});
    }
}

#else

void int8_amx_product(ConstRows, std::size_t, const Int8Panels&, const Ending&, MutableRows,
                      Scratch&) {
  MGDM_CHECK(has_amx());
}

#endif

}  // namespace mgdm::runtime
