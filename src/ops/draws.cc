#include "ops/draws.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log1p.h>

#include <algorithm>
#include <numbers>

#include "base/error.h"
#include "compat/parallel.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {
namespace {

at::Tensor uniform_on_cpu(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                          const at::Tensor& step, std::int64_t columns) {
  const std::int64_t rows = items.size(0);
  at::Tensor out = at::empty({rows, columns}, items.options().dtype(at::kFloat));
  const at::Tensor contiguous = items.contiguous();
  const std::int64_t* item = contiguous.data_ptr<std::int64_t>();
  const auto now = static_cast<std::uint32_t>(step.item<std::int64_t>());
  float* values = out.data_ptr<float>();
  constexpr std::int64_t kGrain = 1 << 14;  // numbers worth a thread
  compat::parallel_for(0, rows,
                       std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, columns)),
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t row = first; row < last; ++row) {
                           Stream random(seed, purpose, static_cast<std::uint32_t>(item[row]), now);
                           for (std::int64_t n = 0; n < columns; ++n)
                             values[row * columns + n] = random.uniform();
                         }
                       });
  return out;
}

}  // namespace

at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns) {
  MGDM_CHECK(items.dim() == 1 && items.scalar_type() == at::kLong);
  MGDM_CHECK(step.numel() == 1 && step.scalar_type() == at::kLong);
  return items.is_cuda() ? cuda::uniform(seed, purpose, items, step, columns)
                         : uniform_on_cpu(seed, purpose, items, step, columns);
}

at::Tensor normal(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                  const at::Tensor& step, std::int64_t columns) {
  const std::int64_t pairs = (columns + 1) / 2;
  return normal_of(uniform(seed, purpose, items, step, 2 * pairs)).slice(1, 0, columns);
}

at::Tensor normal_of(const at::Tensor& uniform) {
  const std::int64_t pairs = uniform.size(1) / 2;
  // 1 - u lies in (0, 1], where the logarithm is finite.
  const at::Tensor radius = (-2 * at::log1p(-uniform.slice(1, 0, pairs))).sqrt();
  const at::Tensor angle = 2 * std::numbers::pi * uniform.slice(1, pairs);
  return at::cat({radius * angle.cos(), radius * angle.sin()}, 1);
}

}  // namespace mgdm::ops
