#include "runtime/arm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

#if defined(__aarch64__) && defined(__linux__)
#define MGDM_ARM64
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace mgdm::runtime {
namespace {

// From one row of A, both parts, to the next: an odd number of cache lines, as in kernels.h.
std::size_t arm_row_bytes(std::size_t steps) { return ((16 * steps + 63) / 64 | 1) * 64; }

// Rows of A that are multiplied at a time, whole tiles of them: both parts of what fits into half
// of a core's first cache while the columns pass by, but not so few that B is read for little.
constexpr std::size_t kBlockTile = 6;
std::size_t arm_block_rows(std::size_t steps) {
  constexpr std::size_t kBytes = 32768, kFewest = 4 * kBlockTile;
  return std::max(kFewest, kBytes / arm_row_bytes(steps) / kBlockTile * kBlockTile);
}

}  // namespace

std::size_t arm_scratch_size(std::size_t rows, std::size_t depth) {
  // In int8 there is one row more, before it is taken apart.
  const auto size = [&](std::size_t steps) {
    return (std::min(rows, arm_block_rows(steps)) + 1) * arm_row_bytes(steps);
  };
  return std::max(size(Bf16ArmLayout{depth}.steps()), size(Int8ArmLayout{depth}.steps())) /
         sizeof(std::uint16_t);
}

#ifdef MGDM_ARM64

// The instructions are written out: clang 14 has intrinsics for them only where the whole program
// may use them. The compiler itself makes no use of what is allowed here.
#ifdef __clang__
#define MGDM_ARM_TARGET __attribute__((target("dotprod,i8mm,bf16")))
#else
#define MGDM_ARM_TARGET __attribute__((target("arch=armv8.2-a+dotprod+i8mm+bf16")))
#endif

namespace {

// Each unit adds a row of A by two columns of B to its sums, and gives those of four columns as
// floats. A tile of kMostRows rows and a panel leaves 8 of the 32 registers for A and B.

struct Smmla {
  static constexpr std::size_t kMostRows = 6;
  int32x4_t both{};  // high parts by two columns, low parts by two columns

  MGDM_ARM_TARGET void add(int8x16_t a, int8x16_t b) {
    asm("smmla %0.4s, %1.16b, %2.16b" : "+w"(both) : "w"(a), "w"(b));
  }

  static float32x4_t total(const Smmla& two, const Smmla& more) {
    const int32x4_t high = __builtin_shufflevector(two.both, more.both, 0, 1, 4, 5);
    const int32x4_t low = __builtin_shufflevector(two.both, more.both, 2, 3, 6, 7);
    return vcvtq_f32_s32(vaddq_s32(vshlq_n_s32(high, kLowBits), low));
  }
};

struct Sdot {
  static constexpr std::size_t kMostRows = 3;
  int32x4_t high{}, low{};  // for each of two columns the sums of its first and its last four bytes

  MGDM_ARM_TARGET void add(int8x16_t a, int8x16_t b) {
    const int64x2_t parts = vreinterpretq_s64_s8(a);
    asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(high) : "w"(vdupq_laneq_s64(parts, 0)), "w"(b));
    asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(low) : "w"(vdupq_laneq_s64(parts, 1)), "w"(b));
  }

  static float32x4_t total(const Sdot& two, const Sdot& more) {
    const int32x4_t high = vpaddq_s32(two.high, more.high), low = vpaddq_s32(two.low, more.low);
    return vcvtq_f32_s32(vaddq_s32(vshlq_n_s32(high, kLowBits), low));
  }
};

struct Bfmmla {
  static constexpr std::size_t kMostRows = 6;
  float32x4_t both{};  // as in Smmla

  MGDM_ARM_TARGET void add(int8x16_t a, int8x16_t b) {
    asm("bfmmla %0.4s, %1.8h, %2.8h" : "+w"(both) : "w"(a), "w"(b));
  }

  static float32x4_t total(const Bfmmla& two, const Bfmmla& more) {
    return vaddq_f32(__builtin_shufflevector(two.both, more.both, 0, 1, 4, 5),
                     __builtin_shufflevector(two.both, more.both, 2, 3, 6, 7));
  }
};

// Rows of A, both parts, and panels of B, in steps of eight bytes. The scales are null in bf16.
struct ArmProblem {
  const std::int8_t* a;
  std::size_t rows;
  const float* row_scales;
  const std::int8_t* b;
  const float* column_scales;
  std::size_t steps, columns;
};

constexpr std::size_t kArmColumns = Int8ArmLayout::kColumns, kArmPairs = kArmColumns / 2;

// What becomes of a tile's sums, all but activations. What may be null is left out.
struct ArmEnding {
  const float *row_scales, *column_scales;  // both or none
  const float* bias;
  bool add;
  float* to;
  std::size_t stride;
};

// A tile as floats: each row is two vectors.
template <std::size_t kRows>
using Ended = float32x4_t[kRows][2];

template <std::size_t kRows, class Use>
inline __attribute__((always_inline)) void for_halves(const Use& use) {
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (std::size_t h = 0; h < 2; ++h) use(r, h);
}

template <std::size_t kRows>
inline __attribute__((always_inline)) void end_tile(const ArmEnding& end, Ended<kRows>& x) {
  if (end.row_scales != nullptr)
    for_halves<kRows>([&](std::size_t r, std::size_t h) {
      const float32x4_t columns = vld1q_f32(end.column_scales + 4 * h);
      x[r][h] = vmulq_f32(x[r][h], vmulq_n_f32(columns, end.row_scales[r]));
    });
  if (end.bias != nullptr)
    for_halves<kRows>([&](std::size_t r, std::size_t h) {
      x[r][h] = vaddq_f32(x[r][h], vld1q_f32(end.bias + 4 * h));
    });
  if (end.add)
    for_halves<kRows>([&](std::size_t r, std::size_t h) {
      x[r][h] = vaddq_f32(x[r][h], vld1q_f32(end.to + r * end.stride + 4 * h));
    });
  for_halves<kRows>(
      [&](std::size_t r, std::size_t h) { vst1q_f32(end.to + r * end.stride + 4 * h, x[r][h]); });
}

// Sums (kRows, 8).
template <class Unit, std::size_t kRows>
MGDM_ARM_TARGET void arm_tile(const std::int8_t* a, std::size_t a_bytes, const std::int8_t* panel,
                              std::size_t steps, const ArmEnding& ending) {
  Unit sums[kRows][kArmPairs];
#pragma GCC unroll 2
  for (std::size_t step = 0; step < steps; ++step, a += 16, panel += 16 * kArmPairs) {
    int8x16_t columns[kArmPairs];
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kArmPairs; ++p) columns[p] = vld1q_s8(panel + 16 * p);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      const int8x16_t row = vld1q_s8(a + r * a_bytes);
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kArmPairs; ++p) sums[r][p].add(row, columns[p]);
    }
  }
  Ended<kRows> x;
  for_halves<kRows>([&](std::size_t r, std::size_t h) {
    x[r][h] = Unit::total(sums[r][2 * h], sums[r][2 * h + 1]);
  });
  end_tile(ending, x);
}

template <class Unit, std::size_t... kRows>
constexpr std::array<decltype(&arm_tile<Unit, 1>), Unit::kMostRows> arm_tiles(
    std::index_sequence<kRows...>) {
  return {&arm_tile<Unit, kRows + 1>...};
}

template <class Unit>
void multiply_by(const ArmProblem& problem, const Ending& ending, MutableRows c) {
  constexpr auto kByRows = arm_tiles<Unit>(std::make_index_sequence<Unit::kMostRows>());
  constexpr std::size_t kGroup =
      4 * kArmColumns;  // columns that are gone through for a tile's rows
  const std::size_t bytes = arm_row_bytes(problem.steps), rows = problem.rows,
                    tiles = (rows + Unit::kMostRows - 1) / Unit::kMostRows;
  alignas(64) float sums[Unit::kMostRows * kGroup];
  for (std::size_t j = 0; j < problem.columns; j += kGroup) {
    const std::size_t columns = std::min(kGroup, problem.columns - j);
    // A panel that is not full, and activations, are left to end_product.
    const bool at_once = columns % kArmColumns == 0 && ending.activation == Activation::kNone;
    for (std::size_t t = 0; t < tiles; ++t) {
      const std::size_t i = rows * t / tiles, count = rows * (t + 1) / tiles - i;
      const MutableRows to{c.data + i * c.stride + j, c.stride};
      for (std::size_t p = 0; p < columns; p += kArmColumns) {
        ArmEnding end{nullptr, nullptr, nullptr, false, sums + p, kGroup};
        if (problem.row_scales != nullptr) {
          end.row_scales = problem.row_scales + i;
          end.column_scales = problem.column_scales + j + p;
        }
        if (at_once) {
          if (ending.bias != nullptr) end.bias = ending.bias + j + p;
          end.add = ending.add;
          end.to = to.data + p;
          end.stride = to.stride;
        }
        kByRows[count - 1](problem.a + i * bytes, bytes, problem.b + (j + p) * problem.steps * 8,
                           problem.steps, end);
      }
      if (!at_once) end_product({sums, kGroup}, count, j, columns, ending, to);
    }
  }
}

// Calls use(first, count) for blocks of rows, of whole tiles but for the last.
template <class Use>
void for_blocks(std::size_t rows, std::size_t steps, const Use& use) {
  const std::size_t most = arm_block_rows(steps);
  for (std::size_t first = 0; first < rows; first += most) use(first, std::min(most, rows - first));
}

// Four numbers of A in two parts: the high ones are cut off to bf16, the low ones rounded.
void split_four(float32x4_t numbers, std::uint16_t* to) {
  const uint32x4_t bits = vreinterpretq_u32_f32(numbers);
  const uint32x4_t high = vandq_u32(bits, vdupq_n_u32(0xFFFF0000u));
  const float32x4_t low = vsubq_f32(numbers, vreinterpretq_f32_u32(high));
  vst1q_u16(to, vrshrn_high_n_u32(vshrn_n_u32(bits, 16), vreinterpretq_u32_f32(low), 16));
}

void split_floats(const float* from, std::size_t depth, std::uint16_t* to) {
  std::size_t k = 0;
  for (; k + 4 <= depth; k += 4, to += 8) split_four(vld1q_f32(from + k), to);
  if (k == depth) return;
  float last[4] = {};
  std::copy(from + k, from + depth, last);
  split_four(vld1q_f32(last), to);
}

void split_eights(const std::int16_t* from, std::size_t steps, std::int8_t* to) {
  for (std::size_t step = 0; step < steps; ++step, from += 8, to += 16) {
    const int16x8_t a = vld1q_s16(from);
    const int16x8_t high = vrshrq_n_s16(a, kLowBits);
    vst1_s8(to, vmovn_s16(high));
    vst1_s8(to + 8, vmovn_s16(vsubq_s16(a, vshlq_n_s16(high, kLowBits))));
  }
}

template <class Unit>
void int8_product_by(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                     MutableRows c, Scratch& scratch) {
  const std::size_t steps = Int8ArmLayout{b.depth}.steps(), bytes = arm_row_bytes(steps);
  scratch.numbers.reserve(arm_scratch_size(rows, b.depth));
  scratch.scales.reserve(std::min(rows, arm_block_rows(steps)));
  for_blocks(rows, steps, [&](std::size_t first, std::size_t count) {
    auto* const parts = reinterpret_cast<std::int8_t*>(scratch.numbers.data());
    auto* const whole = reinterpret_cast<std::int16_t*>(parts + count * bytes);
    for (std::size_t i = 0; i < count; ++i) {
      scratch.scales[i] = quantise_row(a.data + (first + i) * a.stride, b.depth, 8 * steps, whole);
      split_eights(whole, steps, parts + i * bytes);
    }
    multiply_by<Unit>({parts, count, scratch.scales.data(), b.data, b.scales, steps, b.columns},
                      ending, {c.data + first * c.stride, c.stride});
  });
}

}  // namespace

bool has_sdot() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  return has;
}

bool has_smmla() {
  static const bool has = (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
  return has;
}

bool has_bfmmla() {
  static const bool has = (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
  return has;
}

void bfmmla_product(ConstRows a, std::size_t rows, const Bf16ArmPanels& b, const Ending& ending,
                    MutableRows c, Array<std::uint16_t>& scratch) {
  const std::size_t steps = Bf16ArmLayout{b.depth}.steps(), bytes = arm_row_bytes(steps);
  scratch.reserve(arm_scratch_size(rows, b.depth));
  for_blocks(rows, steps, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      split_floats(a.data + (first + i) * a.stride, b.depth,
                   scratch.data() + i * bytes / sizeof(std::uint16_t));
    multiply_by<Bfmmla>({reinterpret_cast<const std::int8_t*>(scratch.data()), count, nullptr,
                         reinterpret_cast<const std::int8_t*>(b.data), nullptr, steps, b.columns},
                        ending, {c.data + first * c.stride, c.stride});
  });
}

void sdot_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                  MutableRows c, Scratch& scratch) {
  int8_product_by<Sdot>(a, rows, b, ending, c, scratch);
}

void smmla_product(ConstRows a, std::size_t rows, const Int8Panels& b, const Ending& ending,
                   MutableRows c, Scratch& scratch) {
  int8_product_by<Smmla>(a, rows, b, ending, c, scratch);
}

#else

bool has_sdot() { return false; }
bool has_smmla() { return false; }
bool has_bfmmla() { return false; }

void bfmmla_product(ConstRows, std::size_t, const Bf16ArmPanels&, const Ending&, MutableRows,
                    Array<std::uint16_t>&) {
  MGDM_CHECK(has_bfmmla());
}

void sdot_product(ConstRows, std::size_t, const Int8Panels&, const Ending&, MutableRows, Scratch&) {
  MGDM_CHECK(has_sdot());
}

void smmla_product(ConstRows, std::size_t, const Int8Panels&, const Ending&, MutableRows,
                   Scratch&) {
  MGDM_CHECK(has_smmla());
}

#endif

}  // namespace mgdm::runtime
