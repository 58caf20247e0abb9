#include "objectives/noise.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/rsub.h>

namespace mgdm::objectives {
namespace {

// (B) -> (B, 1) float32; exact below 2^24.
at::Tensor column(const at::Tensor& integers) { return integers.to(at::kFloat).unsqueeze(1); }

}  // namespace

at::Tensor below(const at::Tensor& u, std::int64_t n) {
  return at::floor(u * static_cast<double>(n)).to(at::kLong);
}

at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, const at::Tensor& denominator) {
  return u * column(denominator) < column(numerator);
}

at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, std::int64_t denominator) {
  return u * static_cast<double>(denominator) < column(numerator);
}

at::Tensor sequence_weight(const std::string& name, const at::Tensor& t, std::int64_t steps) {
  const at::Tensor level = t.to(at::kFloat);
  if (name == "original") return at::reciprocal(level + 1);
  if (name == "linear") return at::rsub(level, steps);  // T - t, without a copy from the CPU
  return at::ones_like(level);
}

}  // namespace mgdm::objectives
