// For tests of casts and products in fp8, on a GPU.
#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <vector>

#include "compat/device.h"
#include "ops/cuda/fp8_cast.h"
#include "ops/cuda/fp8_reference.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {

constexpr NumberType kFp8Types[] = {NumberType::kE4m3, NumberType::kE5m2};

inline bool fp8_available() {
  return compat::cuda_available() && compat::has_fp8_products(compat::device("cuda"));
}

inline NumberType number_type_of(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? NumberType::kFloat32 : NumberType::kBfloat16;
}

// Numbers of codes, in double.
inline at::Tensor fp8_values(const at::Tensor& codes, NumberType type) {
  std::vector<double> values;
  for (int code = 0; code < 256; ++code)
    values.push_back(fp8_value(static_cast<std::uint8_t>(code), type));
  return at::tensor(values, at::kDouble)
      .to(codes.device())
      .index_select(0, codes.reshape(-1).to(at::kLong))
      .view(codes.sizes());
}

// Numbers rounded to fp8, as they are.
inline at::Tensor rounded_to_fp8(const at::Tensor& x, NumberType type) {
  const at::Tensor here = x.detach().cpu().to(at::kDouble).contiguous();
  at::Tensor codes = at::empty(here.sizes(), at::kByte);
  for (std::int64_t i = 0; i < here.numel(); ++i)
    codes.data_ptr<std::uint8_t>()[i] = fp8_code(here.data_ptr<double>()[i], type);
  return fp8_values(codes, type).to(x.device());
}

struct Fp8Made {
  at::Tensor codes, turned, sums, scale_there;
  double largest, scale;

  at::Tensor values(NumberType type) const { return fp8_values(codes, type) * scale; }
};

// What a cast writes, over bytes and numbers that it has to overwrite.
inline Fp8Made fp8_made(const at::Tensor& like, const Fp8Source& source, NumberType type,
                        bool with_sums = false) {
  const std::int64_t rows = like.size(0), columns = like.size(1);
  const auto bytes = like.options().dtype(at::kByte), in_float = like.options().dtype(at::kFloat);
  const at::Tensor codes = at::full({rows, columns}, 0x55, bytes),
                   turned = at::full({columns, fp8_turned_length(rows)}, 0x55, bytes),
                   largest = at::full({1}, 1e9, in_float), scale = at::full({1}, -1, in_float);
  const at::Tensor sums = unwritten(at::empty({columns}, in_float));
  const at::Tensor workspace =
      at::empty({static_cast<std::int64_t>(fp8_cast_workspace(columns) / sizeof(float))}, in_float);
  launch_fp8_cast({.of = source,
                   .type = type,
                   .rows = rows,
                   .columns = columns,
                   .codes = codes.data_ptr(),
                   .turned = turned.data_ptr(),
                   .largest = largest.data_ptr<float>(),
                   .scale = scale.data_ptr<float>(),
                   .sums = with_sums ? sums.data_ptr<float>() : nullptr,
                   .workspace = with_sums ? workspace.data_ptr<float>() : nullptr},
                  nullptr);
  return {codes, turned, sums, scale, largest.item<double>(), scale.item<double>()};
}

// How far a sum of products may be off. Hopper's matrix units add 32 products and the sum so far at
// once, and keep 13 bits behind the point of the largest (found by experiment, among others for
// DeepSeek-V3's report; NVIDIA does not say). So each number of such an addition is off by 2^-13 of
// the sum of sizes at most. Long sums go on in float after 128 products, short ones do not.
inline double fp8_adding(double depth, bool short_sums) {
  const double additions = short_sums ? std::ceil(depth / 32) : 4;
  return 33 * additions * 0x1p-13 + depth * kFloat;
}

// That bound is for the worst case; errors of both signs leave much less. As a whole a wrong
// matrix is off by about its own size.
inline void expect_close(const at::Tensor& got, const at::Tensor& want, double most,
                         const char* what) {
  const double error = (got.detach().to(at::kDouble) - want.detach()).norm().item<double>();
  EXPECT_LE(error, most * want.detach().norm().item<double>()) << what;
}

}  // namespace mgdm::ops::cuda
