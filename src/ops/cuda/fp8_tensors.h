// Tensors in fp8, and their products. Only for builds with CUDA.
#pragma once

#include <ATen/ops/empty.h>

#include <optional>

#include "ops/cuda/fp8_cast.h"
#include "ops/cuda/tensor_products.h"

namespace mgdm::ops::cuda {

// One side of a product, whose sums run along the rows of `codes`.
struct Fp8Side {
  NumberType type;
  at::Tensor codes, scale;
};

struct Fp8Matrix {
  NumberType type;
  at::Tensor codes;   // (rows, columns)
  at::Tensor turned;  // (columns, fp8_turned_length(rows))
  at::Tensor scale;   // (1)
  at::Tensor sums;    // (columns): of the rows, where they were asked for

  Fp8Side as_it_is() const { return {type, codes, scale}; }
  Fp8Side transposed() const { return {type, turned, scale}; }
};

// `like` has the size of what is rounded, and its device.
inline Fp8Matrix fp8_of(const at::Tensor& like, const Fp8Source& source, NumberType type,
                        bool with_sums = false) {
  const std::int64_t rows = like.size(0), columns = like.size(1);
  const auto in_bytes = like.options().dtype(at::kByte),
             in_floats = like.options().dtype(at::kFloat);
  Fp8Matrix matrix{type, at::empty({rows, columns}, in_bytes),
                   at::empty({columns, fp8_turned_length(rows)}, in_bytes),
                   at::empty({1}, in_floats), at::Tensor()};
  const at::Tensor largest = at::empty({1}, in_floats);
  Fp8Cast cast{.of = source,
               .type = type,
               .rows = rows,
               .columns = columns,
               .codes = matrix.codes.data_ptr(),
               .turned = matrix.turned.data_ptr(),
               .largest = largest.data_ptr<float>(),
               .scale = matrix.scale.data_ptr<float>()};
  at::Tensor workspace;
  if (with_sums) {
    const std::size_t size = fp8_cast_workspace(columns) / sizeof(float);
    matrix.sums = at::empty({columns}, in_floats);
    workspace = at::empty({static_cast<std::int64_t>(size)}, in_floats);
    cast.sums = matrix.sums.data_ptr<float>();
    cast.workspace = workspace.data_ptr<float>();
  }
  const double reads = (source.dy != nullptr ? 2 : 1) * bytes_of({like});
  const KernelWork work("cast to fp8", reads + bytes_of({matrix.codes, matrix.turned}));
  launch_fp8_cast(cast, c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return matrix;
}

// Of a matrix in bf16 or float.
inline Fp8Matrix fp8_of(const at::Tensor& x, NumberType type, bool with_sums = false) {
  const bool in_float = x.scalar_type() == at::kFloat;
  return fp8_of(
      x, {.x = x.const_data_ptr(), .type = in_float ? NumberType::kFloat32 : NumberType::kBfloat16},
      type, with_sums);
}

// a b^T (+ bias), in bf16 or float, and then perhaps added `onto` a tensor.
inline at::Tensor multiply_fp8(const Fp8Side& a, const Fp8Side& b, at::ScalarType type,
                               bool short_sums, const at::Tensor& bias = {},
                               const at::Tensor& onto = {}) {
  Product product{.a = a.codes.const_data_ptr(),
                  .b = b.codes.const_data_ptr(),
                  .out = nullptr,
                  .rows = a.codes.size(0),
                  .columns = b.codes.size(0),
                  .depth = a.codes.size(1),
                  .b_transposed = true,
                  .bias = raw(bias),
                  .a_type = a.type,
                  .b_type = b.type,
                  .a_scale = a.scale.const_data_ptr<float>(),
                  .b_scale = b.scale.const_data_ptr<float>(),
                  .short_sums = short_sums};
  at::Tensor out = out_of(product, type, added_to(onto), a.codes.options());
  run_product("fp8 product", product, bytes_of({a.codes, b.codes, onto, out}), a.codes.options());
  return out;
}

// The three products of y = x W^T. Sums of the forward pass may be short: they are of the size that
// its rounded numbers deserve. Those of gradients are of many small numbers, and stay long.
inline at::Tensor fp8_forward(const Fp8Side& x, const Fp8Side& weight,
                              const at::Tensor& bias = {}) {
  return multiply_fp8(x, weight, at::kBFloat16, /*short_sums=*/true, bias);
}
inline at::Tensor fp8_dx(const Fp8Side& dy, const Fp8Side& weight_turned) {
  return multiply_fp8(dy, weight_turned, at::kBFloat16, /*short_sums=*/false);
}
inline at::Tensor fp8_dweight(const Fp8Side& dy_turned, const Fp8Side& x_turned,
                              const at::Tensor& onto) {
  return multiply_fp8(dy_turned, x_turned, at::kFloat, /*short_sums=*/false, {}, onto);
}

// Whether x W^T is to be one: see ops/fp8.h.
bool fp8_takes(const at::Tensor& x, const at::Tensor& weight);

inline at::Tensor bf16_rows(const at::Tensor& x) { return x.to(at::kBFloat16).contiguous(); }

}  // namespace mgdm::ops::cuda
