// For tests that hold kernels number by number against their formulas in double.
//
// A float is rounded by at most kFloat = 2^-24 of itself, a bf16 number by kBf16 = 2^-8. What a
// kernel writes in bf16 it computes in float, so its error is one rounding to bf16 of the number
// itself, and some of float of the numbers it was made from.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <limits>

namespace mgdm::ops::cuda {

constexpr double kFloat = 0x1p-24, kBf16 = 0x1p-8;

inline at::Tensor numbers(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  return at::randn(sizes, at::TensorOptions().device(at::kCUDA).dtype(type));
}

inline at::Tensor leaf(const at::Tensor& values) {
  return values.detach().clone().requires_grad_(true);
}

inline at::Tensor exact(const at::Tensor& values) { return leaf(values.to(at::kDouble)); }

// What a kernel shall write: NaN before.
inline at::Tensor unwritten(const at::Tensor& like) {
  return at::full_like(like, std::numeric_limits<double>::quiet_NaN());
}

// |got - expected| <= bound for every number.
inline void expect_within(const at::Tensor& got, const at::Tensor& expected,
                          const at::Tensor& bound, const char* what) {
  const at::Tensor error = (got.detach().to(at::kDouble) - expected.detach()).abs();
  const at::Tensor excess = error / (bound.detach() + 1e-300);
  EXPECT_TRUE((error <= bound.detach()).all().item<bool>())
      << what << ": " << excess.max().item<double>() << " times the bound";
}

}  // namespace mgdm::ops::cuda
