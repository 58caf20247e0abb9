#ifdef MGDM_HAVE_VECTORS

#include "ops/cpu/linear_products.h"

#include <algorithm>
#include <cstdint>

#include "compat/parallel.h"
#include "vectors/array.h"
#include "vectors/panels.h"
#include "vectors/product.h"

namespace mgdm::ops::cpu {
namespace {

using vectors::Array;
using vectors::Panels;

// work(first, count) for parts of 0 .. count - 1, of at least `fewest` numbers, shared by the
// threads.
template <class Work>
void share(std::size_t count, std::size_t fewest, const Work& work) {
  compat::parallel_for(0, static_cast<std::int64_t>(count), static_cast<std::int64_t>(fewest),
                       [&](std::int64_t from, std::int64_t to) {
                         work(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
                       });
}

// B (depth, columns), whose panels pack_part(first column, columns, to) makes: the threads share
// them.
template <class PackPart>
Panels packed(std::size_t depth, std::size_t columns, Array<float>& room,
              const PackPart& pack_part) {
  const std::size_t wide = vectors::panel_columns();
  room.reserve(vectors::panels_size(depth, columns));
  share((columns + wide - 1) / wide, 1, [&](std::size_t first, std::size_t count) {
    const std::size_t j = first * wide, end = std::min(columns, (first + count) * wide);
    pack_part(j, end - j, room.data() + j * depth);
  });
  return {room.data(), wide * depth, depth, columns};
}

constexpr std::size_t kFewestRows = 24;  // a thread is worth waking for

// C = A B + bias, the rows shared by the threads. A's numbers of a row lie side by side, as do C's.
void multiply(const float* a, std::size_t rows, const Panels& b, const float* bias, float* c) {
  share(rows, kFewestRows, [&](std::size_t first, std::size_t count) {
    vectors::product({a + first * b.depth, b.depth}, count, b, {.bias = bias},
                     {c + first * b.columns, b.columns});
  });
}

}  // namespace

void linear_product(const LinearShape& shape, const float* x, const float* weight,
                    const float* bias, float* y) {
  Array<float> room;
  const Panels b =
      packed(shape.in, shape.out, room, [&](std::size_t j, std::size_t columns, float* to) {
        vectors::pack_transposed({weight + j * shape.in, shape.in}, shape.in, columns, to);
      });
  multiply(x, shape.rows, b, bias, y);
}

void input_gradient(const LinearShape& shape, const float* dy, const float* weight, float* dx) {
  Array<float> room;
  const Panels b =
      packed(shape.out, shape.in, room, [&](std::size_t j, std::size_t columns, float* to) {
        vectors::pack({weight + j, shape.in}, shape.out, columns, to);
      });
  multiply(dy, shape.rows, b, nullptr, dx);
}

// The sum over all rows goes a block of them after the other, and a block's columns of dy some at a
// time, as rows: so what is read again and again stays in a core's cache.
void weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dweight) {
  constexpr std::size_t kDepth = 512, kTogether = 48;
  constexpr std::size_t kStride = kDepth + 16;  // an odd number of cache lines: no two rows collide
  const std::size_t in = shape.in, out = shape.out;
  if (shape.rows == 0) std::fill(dweight, dweight + out * in, 0.0f);
  Array<float> room;
  for (std::size_t row = 0; row < shape.rows; row += kDepth) {
    const std::size_t depth = std::min(kDepth, shape.rows - row);
    const Panels b = packed(depth, in, room, [&](std::size_t j, std::size_t columns, float* to) {
      vectors::pack({x + row * in + j, in}, depth, columns, to);
    });
    share(out, kFewestRows, [&](std::size_t first, std::size_t count) {
      Array<float> turned(kTogether * kStride);
      for (std::size_t o = first; o < first + count; o += kTogether) {
        const std::size_t here = std::min(kTogether, first + count - o);
        vectors::transpose({dy + row * out + o, out}, depth, here, {turned.data(), kStride});
        vectors::product({turned.data(), kStride}, here, b, {.add = row > 0},
                         {dweight + o * in, in});
      }
    });
  }
}

}  // namespace mgdm::ops::cpu

#endif  // MGDM_HAVE_VECTORS
