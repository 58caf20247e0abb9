#include "nn/draws.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace mgdm::nn {
namespace {

constexpr std::int64_t kWord = 0xFFFFFFFF;

void check_arguments(const at::Tensor& items, const at::Tensor& step) {
  MGDM_CHECK(items.dim() == 1 && items.scalar_type() == at::kLong);
  MGDM_CHECK(step.numel() == 1 && step.scalar_type() == at::kLong);
}

at::Tensor uniform_by_loops(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                            const at::Tensor& step, std::int64_t columns) {
  const std::int64_t rows = items.size(0);
  at::Tensor out = at::empty({rows, columns}, items.options().dtype(at::kFloat));
  const at::Tensor contiguous = items.contiguous();
  const std::int64_t* item = contiguous.data_ptr<std::int64_t>();
  const auto now = static_cast<std::uint32_t>(step.item<std::int64_t>());
  float* values = out.data_ptr<float>();
  constexpr std::int64_t kGrain = 1 << 14;  // numbers worth a thread
  at::parallel_for(0, rows, std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, columns)),
                   [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t row = first; row < last; ++row) {
                       Stream random(seed, purpose, static_cast<std::uint32_t>(item[row]), now);
                       for (std::int64_t n = 0; n < columns; ++n)
                         values[row * columns + n] = random.uniform();
                     }
                   });
  return out;
}

struct Product {
  at::Tensor high, low;  // words
};

// multiplier * word for a multiplier in [2^31, 2^32). The product with multiplier - 2^32, which
// lies in [-2^31, 0), fits into a signed 64-bit number; its high word is short by `word`.
Product multiply(const at::Tensor& word, std::int64_t multiplier) {
  const at::Tensor product = word * (multiplier - (kWord + 1));
  return {at::bitwise_right_shift(product, 32) + word, at::bitwise_and(product, kWord)};
}

}  // namespace

at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns) {
  check_arguments(items, step);
  return items.is_cpu() ? uniform_by_loops(seed, purpose, items, step, columns)
                        : uniform_by_operations(seed, purpose, items, step, columns);
}

at::Tensor uniform_by_operations(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                                 const at::Tensor& step, std::int64_t columns) {
  check_arguments(items, step);
  const std::int64_t blocks = (columns + 3) / 4;
  std::int64_t key0 = static_cast<std::int64_t>(seed & 0xFFFFFFFF);
  std::int64_t key1 = static_cast<std::int64_t>(seed >> 32);
  // Philox 4x32-10 as in base/random.cc; the words broadcast to (B, blocks).
  std::array<at::Tensor, 4> counter{
      at::arange(blocks, items.options()).unsqueeze(0),
      at::bitwise_and(step, kWord).reshape({1, 1}), at::bitwise_and(items, kWord).unsqueeze(1),
      at::full({1, 1}, static_cast<std::int64_t>(purpose), items.options())};
  for (int round = 0; round < 10; ++round) {
    const Product product0 = multiply(counter[0], 0xD2511F53);
    const Product product1 = multiply(counter[2], 0xCD9E8D57);
    counter = {at::bitwise_xor(at::bitwise_xor(product1.high, counter[1]), key0), product1.low,
               at::bitwise_xor(at::bitwise_xor(product0.high, counter[3]), key1), product0.low};
    key0 = (key0 + 0x9E3779B9) & kWord;
    key1 = (key1 + 0xBB67AE85) & kWord;
  }
  const at::Tensor words = at::stack(counter, -1)  // (B, blocks, 4)
                               .reshape({items.size(0), 4 * blocks})
                               .slice(1, 0, columns);
  return at::bitwise_right_shift(words, 8).to(at::kFloat) * 0x1p-24;
}

}  // namespace mgdm::nn
