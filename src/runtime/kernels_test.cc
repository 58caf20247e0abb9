// Products of weights, keys and values against plain loops in double, on every instruction set that
// this processor has.
#include "runtime/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "formats/floats.h"
#include "runtime/keys_and_values.h"
#include "runtime/test_support.h"
#include "runtime/weight_matrix.h"
#include "vectors/test_support.h"

namespace mgdm::runtime {
namespace {

using vectors::Floats;
using vectors::on_every_target;

double activated(Activation activation, double x) {
  if (activation == Activation::kReluSquared) return x > 0 ? x * x : 0;
  if (activation == Activation::kNone) return x;
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

// A product to be: A (rows, depth) with some numbers between its rows, W (columns, depth), and C.
struct Problem {
  Problem(std::size_t rows_, std::size_t depth_, std::size_t columns_)
      : rows(rows_),
        depth(depth_),
        columns(columns_),
        a(random_numbers(rows * a_stride(), 1, 1)),
        w(random_numbers(columns * depth, 2, 1)),
        bias(random_numbers(columns + 64, 3, 1)),
        before(random_numbers(rows * c_stride(), 4, 1)) {}

  std::size_t a_stride() const { return depth + 3; }
  std::size_t c_stride() const { return columns + 1; }

  // multiply(A, ending, C) gives what plain loops give in double, and writes nothing beside C.
  template <class Multiply>
  void check(Ending ending, bool with_bias, const Multiply& multiply) const {
    if (with_bias) ending.bias = bias.data();
    Floats c = before;
    multiply(ConstRows{a.data(), a_stride()}, ending, MutableRows{c.data(), c_stride()});
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = with_bias ? static_cast<double>(bias[j]) : 0;
        for (std::size_t k = 0; k < depth; ++k)
          sum += static_cast<double>(a[i * a_stride() + k]) * static_cast<double>(w[j * depth + k]);
        sum = activated(ending.activation, sum);
        const std::size_t at = i * c_stride() + j;
        if (ending.add) sum += static_cast<double>(before[at]);
        ASSERT_NEAR(c[at], sum, 1e-4 * (1 + std::abs(sum))) << i << ", " << j;
      }
      const std::size_t beside = i * c_stride() + columns;
      ASSERT_EQ(c[beside], before[beside]);
    }
  }

  // So that bf16 holds the numbers as they are.
  void round_to_bf16() {
    for (Floats* numbers : {&a, &w})
      for (float& number : *numbers) number = formats::float_of_bf16(formats::bf16_of(number));
  }

  std::size_t rows, depth, columns;
  Floats a, w, bias, before;
};

// `check(problem, ending, with_bias)` for all sizes and endings.
template <class Check>
void for_all_products(const Check& check) {
  for (const std::size_t rows : {1u, 2u, 5u, 6u, 7u, 11u, 12u, 13u, 25u, 40u})
    for (const std::size_t columns : {1u, 7u, 16u, 17u, 31u, 32u, 33u, 70u})
      check(Problem(rows, /*depth=*/19, columns), {}, false);
  for (const Activation activation :
       {Activation::kNone, Activation::kGelu, Activation::kReluSquared})
    check(Problem(9, 33, 45), {.activation = activation}, true);
  check(Problem(9, 70, 45), {.add = true}, true);
}

TEST(Targets, AreChosenOneByOne) {
  std::set<std::size_t> panels;
  on_every_target([&] { panels.insert(panel_columns()); });
#if defined(__x86_64__) && !defined(HWY_COMPILE_ONLY_STATIC)  // sanitized builds have one target
  EXPECT_TRUE(panels.contains(8)) << "SSE4";
#endif
  EXPECT_TRUE(panels.contains(panel_columns()));
}

TEST(Product, IsThatOfPlainLoops) {
  on_every_target([] {
    for_all_products([](const Problem& problem, const Ending& ending, bool with_bias) {
      const WeightMatrix matrix(problem.w, problem.columns, problem.depth, Arithmetic::kFp32);
      Scratch scratch;
      problem.check(ending, with_bias, [&](ConstRows a, const Ending& end, MutableRows c) {
        matrix.multiply(a, problem.rows, end, c, scratch);
      });
    });
  });
}

// By AMX where the processor has it: then activations are rounded, too, which changes nothing here.
TEST(Product, InBf16IsThatOfPlainLoops) {
  on_every_target([] {
    for_all_products([](Problem problem, const Ending& ending, bool with_bias) {
      problem.round_to_bf16();
      const WeightMatrix matrix(problem.w, problem.columns, problem.depth, Arithmetic::kBf16);
      Scratch scratch;
      problem.check(ending, with_bias, [&](ConstRows a, const Ending& end, MutableRows c) {
        matrix.multiply(a, problem.rows, end, c, scratch);
      });
    });
  });
}

TEST(Product, OfNarrowPanelsIsThatOfPlainLoops) {
  on_every_target([] {
    for_all_products([](Problem problem, const Ending& ending, bool with_bias) {
      problem.round_to_bf16();
      const std::size_t wide = panel_columns(), depth = problem.depth;
      Array<std::uint16_t> panels((problem.columns + wide - 1) / wide * wide * depth);
      for (std::size_t j = 0; j < problem.columns; ++j)
        for (std::size_t k = 0; k < depth; ++k)
          panels[(j / wide * depth + k) * wide + j % wide] =
              formats::bf16_of(problem.w[j * depth + k]);
      problem.check(ending, with_bias, [&](ConstRows a, const Ending& end, MutableRows c) {
        product(a, problem.rows, NarrowPanels{panels.data(), wide * depth, depth, problem.columns},
                end, c);
      });
    });
  });
}

TEST(Product, OfARowDoesNotDependOnTheRowsBesideIt) {
  on_every_target([] {
    for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kBf16}) {
      constexpr std::size_t kRows = 61, kDepth = 50, kColumns = 40;
      const Floats a = random_numbers(kRows * kDepth, 1, 1),
                   w = random_numbers(kColumns * kDepth, 2, 1);
      const WeightMatrix matrix(w, kColumns, kDepth, arithmetic);
      Scratch scratch;
      Floats together(kRows * kColumns), alone(kColumns);
      matrix.multiply({a.data(), kDepth}, kRows, {}, {together.data(), kColumns}, scratch);
      for (std::size_t i = 0; i < kRows; ++i) {
        matrix.multiply({a.data() + i * kDepth, kDepth}, 1, {}, {alone.data(), kColumns}, scratch);
        for (std::size_t j = 0; j < kColumns; ++j) ASSERT_EQ(alone[j], together[i * kColumns + j]);
      }
    }
  });
}

TEST(KeysAndValues, AreThePanelsOfEachHead) {
  on_every_target([] {
    constexpr std::size_t kHeads = 3, kSize = 21, kPositions = 40, kWidth = kHeads * kSize;
    KeysAndValues memory(kHeads, kSize, kPositions);
    const Floats keys = random_numbers(kPositions * kWidth, 1, 1),
                 values = random_numbers(kPositions * kWidth, 2, 1);
    for (std::size_t n = 0; n < kPositions; ++n)
      memory.set(n, keys.data() + n * kWidth, values.data() + n * kWidth);
    // The unit vectors pick rows out of both: e_d K^T is number d of every key, e_n V is value n.
    constexpr std::size_t kHead = 1, kD = 20, kN = 38;
    Floats unit(kPositions), out(kPositions);
    unit[kD] = 1;
    product({unit.data(), kSize}, 1, memory.keys(kHead, kPositions), {}, {out.data(), kPositions});
    for (std::size_t n = 0; n < kPositions; ++n)
      EXPECT_EQ(out[n], keys[n * kWidth + kHead * kSize + kD]);
    unit[kD] = 0, unit[kN] = 1;
    product({unit.data(), kPositions}, 1, memory.values(kHead, kPositions), {},
            {out.data(), kSize});
    for (std::size_t d = 0; d < kSize; ++d)
      EXPECT_EQ(out[d], values[kN * kWidth + kHead * kSize + d]);
  });
}

}  // namespace
}  // namespace mgdm::runtime
