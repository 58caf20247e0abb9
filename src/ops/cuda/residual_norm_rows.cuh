// What forward and backward of residual and norm share. A warp takes a row; a lane keeps its part
// of it, C / 32 numbers, in registers, so that mean and variance are sums over registers and one
// shuffle.
#pragma once

#include <cstdint>

#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {

// A lane's part of a row of 128 kQuads numbers: quad q holds columns 128 q + 4 lane + 0..3, so that
// neighbouring lanes read neighbouring addresses.
template <int kQuads>
struct Row {
  float4 quad[kQuads];

  __device__ float sum() const {
    float total = 0;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) total += (quad[q].x + quad[q].y) + (quad[q].z + quad[q].w);
    return lane_sum(total);
  }
};

__device__ __forceinline__ float4 operator+(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ __forceinline__ float4 operator*(float4 a, float4 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}
__device__ __forceinline__ float4 operator*(float4 a, float s) {
  return {a.x * s, a.y * s, a.z * s, a.w * s};
}
__device__ __forceinline__ float4 operator-(float4 a, float s) {
  return {a.x - s, a.y - s, a.z - s, a.w - s};
}

template <int kQuads>
__device__ Row<kQuads> operator*(const Row<kQuads>& a, const Row<kQuads>& b) {
  Row<kQuads> product;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) product.quad[q] = a.quad[q] * b.quad[q];
  return product;
}

// Turns y into (y - mean) / sigma (layer norm) or y / rms, and returns 1 / sigma.
template <bool kCentred, int kQuads>
__device__ float standardize(Row<kQuads>& y, float eps) {
  constexpr float kColumns = 128.0f * kQuads;
  if constexpr (kCentred) {
    const float mean = y.sum() / kColumns;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) y.quad[q] = y.quad[q] - mean;
  }
  const float scale = rsqrtf((y * y).sum() / kColumns + eps);
#pragma unroll
  for (int q = 0; q < kQuads; ++q) y.quad[q] = y.quad[q] * scale;
  return scale;
}

// Calls f<quads>() with the number of quads a lane holds; not at all for other widths.
template <class Function>
void with_quads(std::int64_t columns, Function&& f) {
  switch (columns / 128) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 6:
      return f.template operator()<6>();
    case 8:
      return f.template operator()<8>();
  }
}

// Calls f<is a layer norm, number of the stream, number of the branch>() for the arguments of
// either direction.
template <class Arguments, class Function>
void with_kind(const Arguments& a, Function&& f) {
  if (a.stream_is_bf16) return f.template operator()<false, __nv_bfloat16, __nv_bfloat16>();
  const auto in_float = [&]<bool kCentred>() {
    a.branch_is_bf16 ? f.template operator()<kCentred, float, __nv_bfloat16>()
                     : f.template operator()<kCentred, float, float>();
  };
  a.weight != nullptr ? in_float.template operator()<true>()
                      : in_float.template operator()<false>();
}

}  // namespace mgdm::ops::cuda
