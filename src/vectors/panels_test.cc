#include "vectors/panels.h"

#include <gtest/gtest.h>

#include <vector>

#include "vectors/array.h"
#include "vectors/test_support.h"

namespace mgdm::vectors {
namespace {

// C of plain loops in double, for A (rows, depth) and B (depth, columns).
std::vector<double> plain_product(const Floats& a, const Floats& b, std::size_t rows,
                                  std::size_t depth, std::size_t columns) {
  std::vector<double> c(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        c[i * columns + j] +=
            static_cast<double>(a[i * depth + k]) * static_cast<double>(b[k * columns + j]);
  return c;
}

// (columns, rows) with some numbers between its rows.
Floats transposed(const Floats& a, std::size_t rows, std::size_t columns, std::size_t stride) {
  Floats t(columns * stride);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) t[j * stride + i] = a[i * columns + j];
  return t;
}

// All four ways to multiply: A or its transpose in memory, B or its transpose in memory.
TEST(Panels, MultiplyAsPlainLoopsDo) {
  on_every_target([] {
    for (const std::size_t rows : {1u, 5u, 12u, 26u})
      for (const std::size_t depth : {1u, 4u, 7u, 33u})
        for (const std::size_t columns : {1u, 3u, 8u, 32u, 39u, 70u}) {
          const Floats a = random_numbers(rows * depth, 1, 1),
                       b = random_numbers(depth * columns, 2, 1);
          const std::size_t a_stride = rows + 2, b_stride = depth + 3;
          const Floats at = transposed(a, rows, depth, a_stride),
                       bt = transposed(b, depth, columns, b_stride);
          Array<float> rows_in_panels(panels_size(depth, columns)),
              columns_in_panels(panels_size(depth, columns));
          const Panels packed[] = {
              pack({b.data(), columns}, depth, columns, rows_in_panels.data()),
              pack_transposed({bt.data(), b_stride}, depth, columns, columns_in_panels.data())};
          const std::vector<double> right = plain_product(a, b, rows, depth, columns);
          for (const Panels& panels : packed) {
            Floats c(rows * columns), from_transpose(rows * columns);
            product({a.data(), depth}, rows, panels, {}, {c.data(), columns});
            transposed_product({at.data(), a_stride}, rows, panels, {},
                               {from_transpose.data(), columns});
            for (std::size_t i = 0; i < c.size(); ++i)
              ASSERT_NEAR(c[i], right[i], 1e-4) << rows << ", " << depth << ", " << columns;
            ASSERT_EQ(c, from_transpose);
          }
        }
  });
}

// So many rows and so deep that they are taken in blocks.
TEST(Panels, MultiplyManyRowsAsPlainLoopsDo) {
  on_every_target([] {
    constexpr std::size_t kRows = 131, kDepth = 701, kColumns = 37;
    const Floats a = random_numbers(kRows * kDepth, 1, 1),
                 b = random_numbers(kDepth * kColumns, 2, 1), bias = random_numbers(64, 3, 1);
    const std::vector<double> right = plain_product(a, b, kRows, kDepth, kColumns);
    Array<float> room(panels_size(kDepth, kColumns));
    const Panels panels = pack({b.data(), kColumns}, kDepth, kColumns, room.data());
    Floats c(kRows * kColumns, 1);
    product({a.data(), kDepth}, kRows, panels, {.bias = bias.data(), .add = true},
            {c.data(), kColumns});
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_NEAR(c[i], right[i] + static_cast<double>(bias[i % kColumns]) + 1, 1e-3) << i;
  });
}

TEST(Transpose, PutsRowsForColumns) {
  on_every_target([] {
    for (const std::size_t rows : {0u, 1u, 4u, 11u})
      for (const std::size_t columns : {0u, 1u, 3u, 8u, 13u}) {
        const std::size_t stride = rows + 2;
        const Floats a = random_numbers(rows * columns, 1, 1);
        Floats t(columns * stride);
        transpose({a.data(), columns}, rows, columns, {t.data(), stride});
        ASSERT_EQ(t, transposed(a, rows, columns, stride)) << rows << ", " << columns;
      }
  });
}

}  // namespace
}  // namespace mgdm::vectors
