// Products of weights, keys and values against plain loops in double, on every instruction set that
// this processor has.
#include "runtime/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "formats/floats.h"
#include "runtime/arm.h"
#include "runtime/pass.h"
#include "runtime/quantised.h"
#include "runtime/test_support.h"
#include "runtime/weight_matrix.h"
#include "vectors/test_support.h"

namespace mgdm::runtime {
namespace {

using vectors::Floats;
using vectors::on_every_target;

constexpr Arithmetic kAllArithmetics[] = {Arithmetic::kFp32, Arithmetic::kBf16, Arithmetic::kInt8};

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
  check(Problem(131, 200, 64), {.add = true}, true);  // rows in blocks
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

// By AMX or BFMMLA where the processor has it: then activations are rounded, too, which changes
// nothing here.
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

// In bf16 with AMX or BFMMLA activations keep twice the eight bits of bf16, less one.
TEST(Product, InBf16KeepsMoreOfActivationsThanOfWeights) {
  Problem problem(40, 256, 70);
  for (float& number : problem.w) number = formats::float_of_bf16(formats::bf16_of(number));
  const WeightMatrix matrix(problem.w, 70, 256, Arithmetic::kBf16);
  Scratch scratch;
  Floats c(40 * 70);
  matrix.multiply({problem.a.data(), problem.a_stride()}, 40, {}, {c.data(), 70}, scratch);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 70; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 256; ++k)
        sum += static_cast<double>(problem.a[i * problem.a_stride() + k]) *
               static_cast<double>(problem.w[j * 256 + k]);
      // Sums have a deviation of 16. Errors of 2^-16 of each activation, all of one sign at worst,
      // stay below 256 * 2 * 2 * 2^-16; rounded to bf16 they would be 0.1 as a rule.
      ASSERT_NEAR(c[i * 70 + j], sum, 1.0 / 64);
    }
}

// What quantised.h says, in plain loops over whole numbers.
struct WholeRow {
  WholeRow(const float* row, std::size_t depth, float most) {
    float largest = 0;
    for (std::size_t k = 0; k < depth; ++k) largest = std::max(largest, std::abs(row[k]));
    scale = largest / most;
    for (std::size_t k = 0; k < depth; ++k)
      numbers.push_back(std::lrint(row[k] * (largest > 0 ? most / largest : 0)));
  }

  float scale = 0;
  std::vector<std::int64_t> numbers;
};

Floats int8_product_in_plain_loops(const Problem& problem) {
  const std::size_t depth = problem.depth;
  const auto most = static_cast<float>(most_activation(depth));
  std::vector<WholeRow> weights;
  for (std::size_t j = 0; j < problem.columns; ++j)
    weights.emplace_back(problem.w.data() + j * depth, depth, 127.0f);
  Floats c;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const WholeRow a(problem.a.data() + i * problem.a_stride(), depth, most);
    for (const WholeRow& w : weights) {
      const std::int64_t sum = std::inner_product(a.numbers.begin(), a.numbers.end(),
                                                  w.numbers.begin(), std::int64_t{0});
      EXPECT_EQ(sum, static_cast<std::int32_t>(sum)) << "more than 32 bits";
      c.push_back(static_cast<float>(sum) * (a.scale * w.scale));
    }
  }
  return c;
}

Floats int8_product(const Problem& problem) {
  const WeightMatrix matrix(problem.w, problem.columns, problem.depth, Arithmetic::kInt8);
  Scratch scratch;
  Floats c(problem.rows * problem.columns);
  matrix.multiply({problem.a.data(), problem.a_stride()}, problem.rows, {},
                  {c.data(), problem.columns}, scratch);
  return c;
}

using Int8Multiply = void(ConstRows, std::size_t, const Int8Panels&, const Ending&, MutableRows,
                          Scratch&);

// Computes it by a function that the processor may not choose.
template <class Layout>
Floats int8_product_by(Int8Multiply* multiply, const Layout& layout, const Problem& problem) {
  const QuantisedWeights weights = quantised(problem.w, problem.columns, problem.depth);
  Array<std::int8_t> panels(layout.size(problem.columns));
  for (std::size_t j = 0; j < problem.columns; ++j)
    for (std::size_t k = 0; k < problem.depth; ++k)
      panels[layout.column(j) + layout.row(k)] = weights.numbers[j * problem.depth + k];
  Scratch scratch;
  Floats c(problem.rows * problem.columns);
  multiply({problem.a.data(), problem.a_stride()}, problem.rows,
           Int8Panels{panels.data(), weights.scales.data(), problem.depth, problem.columns}, {},
           {c.data(), problem.columns}, scratch);
  return c;
}

// In every way that the processor has, on the instruction set at hand.
std::vector<Floats> all_int8_products(const Problem& problem) {
  const Int8PanelLayout panels{problem.depth};
  const Int8ArmLayout arm{problem.depth};
  std::vector<Floats> all = {int8_product(problem), int8_product_by(product, panels, problem)};
  if (has_sdot()) all.push_back(int8_product_by(sdot_product, arm, problem));
  if (has_smmla()) all.push_back(int8_product_by(smmla_product, arm, problem));
  return all;
}

TEST(Product, InInt8IsExactOverWholeNumbers) {
  for (const std::size_t rows : {1u, 4u, 7u, 12u, 13u, 33u})
    for (const std::size_t columns : {1u, 16u, 31u, 33u, 70u})
      for (const std::size_t depth : {1u, 19u, 64u, 100u}) {
        Problem problem(rows, depth, columns);
        for (std::size_t k = 0; k < depth; ++k) problem.a[k] = 0;  // a row without a largest
        const Floats expected = int8_product_in_plain_loops(problem);
        on_every_target([&] {
          for (const Floats& c : all_int8_products(problem))
            for (std::size_t i = 0; i < expected.size(); ++i)
              ASSERT_NEAR(c[i], expected[i], 1e-6 * std::abs(expected[i])) << i;
        });
      }
}

// Rows in blocks, for which there must be room.
TEST(Product, InInt8TakesManyRows) {
  for (const std::size_t depth : {24u, 128u, 192u, 288u}) {
    const Problem problem(131, depth, 9);
    const Floats expected = int8_product_in_plain_loops(problem);
    on_every_target([&] {
      for (const Floats& c : all_int8_products(problem))
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(c[i], expected[i], 1e-6 * std::abs(expected[i])) << i << " of " << depth;
    });
  }
}

TEST(Product, InInt8HasRoomForTheLongestSum) {
  on_every_target([] {
    Problem problem(1, 3072, 2);
    std::ranges::fill(problem.a, 1.0f);
    std::ranges::fill(problem.w, 1.0f);
    for (const Floats& c : all_int8_products(problem))
      for (const float sum : c) EXPECT_NEAR(sum, 3072, 0.01);
  });
}

// What went wrong before a product stays wrong behind it: a whole number cannot say so.
TEST(Product, InInt8KeepsWhatIsNoNumber) {
  for (const float odd :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()})
    for (const std::size_t place : {0u, 17u, 66u}) {  // in vectors, and behind the last of them
      Problem problem(3, 67, 40);
      problem.a[problem.a_stride() + place] = odd;
      on_every_target([&] {
        for (const Floats& c : all_int8_products(problem))
          for (std::size_t i = 0; i < c.size(); ++i)
            ASSERT_EQ(std::isnan(c[i]), i / 40 == 1) << i << " with " << odd << " at " << place;
      });
    }
}

TEST(Product, InInt8EndsLikeTheOthers) {
  on_every_target([] {
    for (const bool add : {false, true}) {
      const Problem problem(9, 40, 45);
      const Floats sums = int8_product_in_plain_loops(problem);
      const WeightMatrix matrix(problem.w, 45, 40, Arithmetic::kInt8);
      Scratch scratch;
      Floats c = problem.before;
      matrix.multiply({problem.a.data(), problem.a_stride()}, 9,
                      {.bias = problem.bias.data(), .activation = Activation::kGelu, .add = add},
                      {c.data(), problem.c_stride()}, scratch);
      for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 45; ++j) {
          const std::size_t at = i * problem.c_stride() + j;
          const double sum = static_cast<double>(sums[i * 45 + j] + problem.bias[j]);
          ASSERT_NEAR(c[at],
                      activated(Activation::kGelu, sum) +
                          (add ? static_cast<double>(problem.before[at]) : 0),
                      1e-5 * (1 + std::abs(sum)));
        }
    }
  });
}

TEST(WeightMatrix, GivesBackItsRows) {
  on_every_target([] {
    for (const Arithmetic arithmetic : kAllArithmetics) {
      constexpr std::size_t kOut = 71, kIn = 83;
      const Floats w = random_numbers(kOut * kIn, 2, 1);
      const WeightMatrix matrix(w, kOut, kIn, arithmetic);
      // Half a step at most: 2^-9 of a number in bf16, 1/254 of the largest in int8.
      const double step = arithmetic == Arithmetic::kFp32 ? 0 : 1.0 / 128;
      Floats row(kIn);
      for (std::size_t j = 0; j < kOut; ++j) {
        matrix.read_row(j, row.data());
        for (std::size_t k = 0; k < kIn; ++k) ASSERT_NEAR(row[k], w[j * kIn + k], step) << j;
      }
    }
  });
}

TEST(Product, OfARowDoesNotDependOnTheRowsBesideIt) {
  on_every_target([] {
    for (const Arithmetic arithmetic : kAllArithmetics) {
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
