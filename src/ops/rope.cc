#include "ops/rope.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/where.h>

#include <numbers>

namespace mgdm::ops {
namespace {

// (D / 2) double, made on the device: nothing is copied there, so that a step can be captured.
at::Tensor frequencies(const RopeForm& form, c10::Device device) {
  const auto options = at::TensorOptions().device(device).dtype(at::kDouble);
  const at::Tensor exponents =
      at::arange(0, form.size, 2, options) / static_cast<double>(form.size);
  const at::Tensor plain = at::pow(form.theta, -exponents);
  if (form.scaling == RopeForm::Scaling::kNone) return plain;
  const at::Tensor stretched = plain / form.factor;
  if (form.scaling == RopeForm::Scaling::kLinear) return stretched;
  // How often a wave goes round within the original length: above `high` it stays, below `low` it
  // is stretched.
  const at::Tensor rounds = plain * (form.original_positions / (2 * std::numbers::pi));
  const at::Tensor kept =
      ((rounds - form.low_frequency) / (form.high_frequency - form.low_frequency)).clamp(0, 1);
  return kept * plain + (1 - kept) * stretched;
}

}  // namespace

Turns rope_turns(const RopeForm& form, std::int64_t first, std::int64_t count, c10::Device device) {
  const auto options = at::TensorOptions().device(device).dtype(at::kDouble);
  const at::Tensor positions = at::arange(first, first + count, options);
  const at::Tensor angles = positions.unsqueeze(1) * frequencies(form, device);  // (N, D / 2)
  return {angles.cos().to(at::kFloat), angles.sin().to(at::kFloat)};
}

at::Tensor rope(const at::Tensor& x, const Turns& turns) {
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor a = x.slice(-1, 0, half), b = x.slice(-1, half);
  // In fp32, also where x is bf16.
  return at::cat({a * turns.cosines - b * turns.sines, b * turns.cosines + a * turns.sines}, -1)
      .to(x.scalar_type());
}

}  // namespace mgdm::ops
