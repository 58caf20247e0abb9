#include "runtime/amx.h"

#include <algorithm>

#include "base/error.h"
#include "formats/floats.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mgdm::runtime {
namespace {

constexpr std::size_t kRows = 16;              // of a tile
constexpr std::size_t kDepth = 32;             // of a tile of A or B
constexpr std::size_t kColumns = 32;           // of a panel: two tiles
constexpr std::size_t kTile = kRows * kDepth;  // numbers in a tile of A or B

constexpr std::size_t kLineOfBf16 = 32;  // numbers in a cache line

std::size_t padded(std::size_t count, std::size_t to) { return (count + to - 1) / to * to; }

}  // namespace

Array<std::uint16_t> in_amx_tiles(std::span<const float> weights, std::size_t out, std::size_t in) {
  const std::size_t steps = padded(in, kDepth) / kDepth;
  Array<std::uint16_t> tiles(padded(out, kColumns) / kColumns * steps * 2 * kTile);
  for (std::size_t j = 0; j < out; ++j)
    for (std::size_t k = 0; k < in; ++k) {
      const std::size_t panel = j / kColumns, half = j % kColumns / 16, step = k / kDepth;
      const std::size_t tile = (panel * steps + step) * 2 + half;
      const std::size_t row = k % kDepth / 2;
      tiles[tile * kTile + row * kDepth + j % 16 * 2 + k % 2] =
          formats::bf16_of(weights[j * in + k]);
    }
  return tiles;
}

namespace {

// From one row of A to the next: an odd number of cache lines, as in activations.h.
std::size_t stride_of(std::size_t depth) {
  return (padded(depth, kDepth) / kLineOfBf16 | 1) * kLineOfBf16;
}

}  // namespace

std::size_t amx_scratch_size(std::size_t rows, std::size_t depth) {
  return padded(rows, 2 * kRows) * stride_of(depth);
}

#ifdef __x86_64__

namespace {

bool ask_for_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24;  // leaf 7, edx
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kBf16) == 0 || (d & kTiles) == 0) return false;
  constexpr unsigned kAvx512Bf16 = 1u << 5;  // leaf 7.1, eax
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || (a & kAvx512Bf16) == 0) return false;
  // Tiles are large: Linux keeps them through a task switch only for those who asked.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Which tiles there are: 0-3 sums, 4-5 of A, 6-7 of B, all of full size.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// A as bf16, rows of `stride` numbers, with zeros behind the last column up to a multiple of 32.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) void narrow(
    ConstRows a, std::size_t rows, std::size_t depth, std::uint16_t* to, std::size_t stride) {
  for (std::size_t i = 0; i < rows; ++i, to += stride) {
    const float* const from = a.data + i * a.stride;
    for (std::size_t k = 0; k < depth; k += 32) {
      const auto mask_of = [&](std::size_t first) {
        const std::size_t left = depth > first ? depth - first : 0;
        return static_cast<__mmask16>(left >= 16 ? 0xFFFF : (1u << left) - 1);
      };
      const __m512 low = _mm512_maskz_loadu_ps(mask_of(k), from + k);
      const __m512 high = _mm512_maskz_loadu_ps(mask_of(k + 16), from + k + 16);
      const __m512bh both = _mm512_cvtne2ps_pbh(high, low);
      _mm512_storeu_si512(to + k, reinterpret_cast<const __m512i&>(both));
    }
  }
}

// Sums (32, 32), or with one tile of rows (16, 32), of A's rows and a panel.
template <bool kTwoTiles>
__attribute__((target("amx-tile,amx-bf16"))) void multiply_tiles(const std::uint16_t* a,
                                                                 std::size_t a_stride,
                                                                 const std::uint16_t* panel,
                                                                 std::size_t steps, float* sums) {
  const std::size_t row_bytes = a_stride * sizeof(std::uint16_t);
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (kTwoTiles) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (std::size_t step = 0; step < steps; ++step, a += kDepth, panel += 2 * kTile) {
    _tile_loadd(6, panel, 64);
    _tile_loadd(7, panel + kTile, 64);
    _tile_loadd(4, a, row_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTwoTiles) {
      _tile_loadd(5, a + kRows * a_stride, row_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  constexpr std::size_t kSumBytes = kColumns * sizeof(float);
  _tile_stored(0, sums, kSumBytes);
  _tile_stored(1, sums + 16, kSumBytes);
  if constexpr (kTwoTiles) {
    _tile_stored(2, sums + kRows * kColumns, kSumBytes);
    _tile_stored(3, sums + kRows * kColumns + 16, kSumBytes);
  }
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

void amx_product(ConstRows a, std::size_t rows, const AmxTiles& b, const Ending& ending,
                 MutableRows c, Array<std::uint16_t>& scratch) {
  if (rows == 0) return;
  const std::size_t stride = stride_of(b.depth), steps = padded(b.depth, kDepth) / kDepth;
  scratch.reserve(amx_scratch_size(rows, b.depth));
  narrow(a, rows, b.depth, scratch.data(), stride);
  alignas(64) float sums[2 * kRows * kColumns];
  static const TileConfig config;
  load_config(config);
  const std::uint16_t* panel = b.data;
  for (std::size_t j = 0; j < b.columns; j += kColumns, panel += steps * 2 * kTile)
    for (std::size_t i = 0; i < rows; i += 2 * kRows) {
      const std::size_t count = std::min(2 * kRows, rows - i);
      const std::uint16_t* const from = scratch.data() + i * stride;
      if (count > kRows)
        multiply_tiles<true>(from, stride, panel, steps, sums);
      else
        multiply_tiles<false>(from, stride, panel, steps, sums);
      end_product({sums, kColumns}, count, j, std::min(kColumns, b.columns - j), ending,
                  {c.data + i * c.stride + j, c.stride});
    }
  release_tiles();
}

#else

bool has_amx() { return false; }

void amx_product(ConstRows, std::size_t, const AmxTiles&, const Ending&, MutableRows,
                 Array<std::uint16_t>&) {
  MGDM_CHECK(has_amx());
}

#endif

}  // namespace mgdm::runtime
