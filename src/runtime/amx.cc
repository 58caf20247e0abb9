#include "runtime/amx.h"

#include <algorithm>
#include <array>

#include "base/error.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mgdm::runtime {
namespace {

constexpr std::size_t kRows = AmxLayout::kRows, kDepth = AmxLayout::kDepth,
                      kColumns = AmxLayout::kColumns, kTile = AmxLayout::kTile;

constexpr std::size_t kLineOfBf16 = 32;                      // numbers in a cache line
constexpr std::size_t kSumBytes = kColumns * sizeof(float);  // from one row of sums to the next

std::size_t padded(std::size_t count, std::size_t to) { return (count + to - 1) / to * to; }

// From one row of A, both parts, to the next: an odd number of cache lines, as in kernels.h.
std::size_t stride_of(std::size_t depth) {
  return (2 * padded(depth, kDepth) / kLineOfBf16 | 1) * kLineOfBf16;
}

}  // namespace

std::size_t amx_scratch_size(std::size_t rows, std::size_t depth) {
  return padded(rows, 2 * kRows) * stride_of(depth);
}

#ifdef __x86_64__

namespace {

bool ask_for_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;  // leaf 7, edx
  constexpr unsigned kAll = kBf16 | kTiles | kInt8;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAll) != kAll) return false;
  constexpr unsigned kAvx512Bf16 = 1u << 5;  // leaf 7.1, eax
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || (a & kAvx512Bf16) == 0) return false;
  // Tiles are large: Linux keeps them through a task switch only for those who asked.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

using Bf16s = __m512i;  // 32 of them

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) Bf16s rounded(__m512 low,
                                                                              __m512 high) {
  const __m512bh both = _mm512_cvtne2ps_pbh(high, low);
  return reinterpret_cast<const Bf16s&>(both);
}

// 16 numbers without their lower halves: those are bf16 as they are.
__attribute__((target("avx512f"))) __m512 high_half(__m512 numbers) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xFFFF0000u));
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(numbers), upper));
}

// A row of A in two parts, each `depth` numbers and zeros up to a multiple of 32.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) void take_apart(const float* from,
                                                                                std::size_t depth,
                                                                                std::uint16_t* to) {
  const std::size_t low_part = padded(depth, kDepth);
  for (std::size_t k = 0; k < depth; k += 32) {
    const auto mask_of = [&](std::size_t first) {
      const std::size_t left = depth > first ? depth - first : 0;
      return static_cast<__mmask16>(left >= 16 ? 0xFFFF : (1u << left) - 1);
    };
    const __m512 first = _mm512_maskz_loadu_ps(mask_of(k), from + k);
    const __m512 second = _mm512_maskz_loadu_ps(mask_of(k + 16), from + k + 16);
    const __m512 first_high = high_half(first), second_high = high_half(second);
    _mm512_storeu_si512(to + k, rounded(first_high, second_high));
    _mm512_storeu_si512(to + low_part + k, rounded(_mm512_sub_ps(first, first_high),
                                                   _mm512_sub_ps(second, second_high)));
  }
}

// A sum goes over k 32 at a time, high parts before low ones, whichever of the two functions that
// follow makes it. Each keeps four sums growing, so that none waits for its last addition.

// Sums (2 height, 32) of two tiles of A's rows and a panel.
__attribute__((target("amx-tile,amx-bf16"))) void multiply_two_tiles(
    const std::uint16_t* a, std::size_t a_stride, std::size_t height, const std::uint16_t* panel,
    std::size_t steps, float* sums) {
  const std::size_t row_bytes = a_stride * sizeof(std::uint16_t), low_part = steps * kDepth;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t step = 0; step < steps; ++step, a += kDepth, panel += 2 * kTile) {
    _tile_loadd(6, panel, 64);
    _tile_loadd(7, panel + kTile, 64);
    const std::uint16_t* part = a;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i, part += low_part) {
      _tile_loadd(4, part, row_bytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, part + height * a_stride, row_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, kSumBytes);
  _tile_stored(1, sums + 16, kSumBytes);
  _tile_stored(2, sums + height * kColumns, kSumBytes);
  _tile_stored(3, sums + height * kColumns + 16, kSumBytes);
}

// Sums (height, 32), the second behind 16 such rows, of one tile of A's rows and two panels.
__attribute__((target("amx-tile,amx-bf16"))) void multiply_two_panels(
    const std::uint16_t* a, std::size_t a_stride, const std::uint16_t* panel,
    const std::uint16_t* other, std::size_t steps, float* sums) {
  const std::size_t row_bytes = a_stride * sizeof(std::uint16_t), low_part = steps * kDepth;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t step = 0; step < steps; ++step, a += kDepth) {
    _tile_loadd(4, a, row_bytes);
    _tile_loadd(5, a + low_part, row_bytes);
    _tile_loadd(6, panel + step * 2 * kTile, 64);
    _tile_loadd(7, panel + step * 2 * kTile + kTile, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(0, 5, 6);
    _tile_dpbf16ps(1, 5, 7);
    _tile_loadd(6, other + step * 2 * kTile, 64);
    _tile_loadd(7, other + step * 2 * kTile + kTile, 64);
    _tile_dpbf16ps(2, 4, 6);
    _tile_dpbf16ps(3, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, kSumBytes);
  _tile_stored(1, sums + 16, kSumBytes);
  _tile_stored(2, sums + kRows * kColumns, kSumBytes);
  _tile_stored(3, sums + kRows * kColumns + 16, kSumBytes);
}

__attribute__((target("amx-tile"))) void load_config(const TileConfig& config) {
  _tile_loadconfig(&config);
}

__attribute__((target("amx-tile"))) void release_tiles() { _tile_release(); }

}  // namespace

bool has_amx() {
  static const bool has = ask_for_amx();
  return has;
}

AmxTurn::AmxTurn(std::size_t rows) {
  // All there can be, made before: the compiler does not know that loading one reads all of it.
  static const std::array<TileConfig, kRows> configs = [] {
    std::array<TileConfig, kRows> all;
    for (std::size_t i = 0; i < kRows; ++i)
      std::fill(all[i].rows, all[i].rows + 6, static_cast<std::uint8_t>(i + 1));
    return all;
  }();
  load_config(configs[rows - 1]);
}

AmxTurn::~AmxTurn() { release_tiles(); }

void amx_product(ConstRows a, std::size_t rows, const AmxTiles& b, const Ending& ending,
                 MutableRows c, Array<std::uint16_t>& scratch) {
  if (rows == 0) return;
  const std::size_t stride = stride_of(b.depth), steps = padded(b.depth, kDepth) / kDepth;
  scratch.reserve(amx_scratch_size(rows, b.depth));
  std::uint16_t* const parts = scratch.data();
  for (std::size_t i = 0; i < rows; ++i)
    take_apart(a.data + i * a.stride, b.depth, parts + i * stride);
  alignas(64) float sums[2 * kRows * kColumns];
  const AmxRows tiling(rows);
  const std::size_t high = tiling.height;
  const AmxTurn turn(high);
  const auto panel = [&](std::size_t j) { return b.data + j / kColumns * steps * 2 * kTile; };
  const auto end = [&](const float* from, std::size_t i, std::size_t count, std::size_t j) {
    end_product({from, kColumns}, count, j, std::min(kColumns, b.columns - j), ending,
                {c.data + i * c.stride + j, c.stride});
  };
  // Two tiles of rows at a time; one that is left over takes two panels at a time.
  const std::size_t in_twos = tiling.tiles / 2 * 2 * high, last = rows - std::min(rows, in_twos);
  for (std::size_t j = 0; j < b.columns; j += 2 * kColumns) {
    const std::size_t other = j + kColumns;
    for (std::size_t at = j; at < std::min(other + 1, b.columns); at += kColumns)
      for (std::size_t i = 0; i < in_twos; i += 2 * high) {
        multiply_two_tiles(parts + i * stride, stride, high, panel(at), steps, sums);
        end(sums, i, std::min(2 * high, rows - i), at);
      }
    if (last == 0) continue;
    const bool both = other < b.columns;
    multiply_two_panels(parts + in_twos * stride, stride, panel(j), panel(both ? other : j), steps,
                        sums);
    end(sums, in_twos, last, j);
    if (both) end(sums + kRows * kColumns, in_twos, last, other);
  }
}

#else

bool has_amx() { return false; }

AmxTurn::AmxTurn(std::size_t) { MGDM_CHECK(has_amx()); }
AmxTurn::~AmxTurn() = default;

void amx_product(ConstRows, std::size_t, const AmxTiles&, const Ending&, MutableRows,
                 Array<std::uint16_t>&) {
  MGDM_CHECK(has_amx());
}

#endif

}  // namespace mgdm::runtime
