// The activations f of MLPs: value(u) = f(u), slope(u) = f'(u), and slope_of_kept(), the slope by
// what is kept for it (bias_activation.h).
#pragma once

#include <cstdint>

namespace mgdm::ops::cuda {

// gelu(u) = u (1 + tanh(w)) / 2 = u sigmoid(2 w)  with w = sqrt(2 / pi) (u + 0.044715 u^3),
// sigmoid(2 w) = 1 / (1 + 2^(-2 w log2(e))): two instructions of the special-function unit, each
// with an error of about 2^-22.
struct Gelu {
  static constexpr float kTwoRoot = 1.5957691216f;  // 2 sqrt(2 / pi)
  static constexpr float kCube = 0.044715f, kLog2e = 1.4426950409f;

  static __device__ __forceinline__ float sigmoid(float u) {
    const float exponent = u * fmaf(-kTwoRoot * kCube * kLog2e, u * u, -kTwoRoot * kLog2e);
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1 + power));
    return inverse;
  }
  static __device__ __forceinline__ float value(float u) { return u * sigmoid(u); }
  // s + u s (1 - s) (2 w)'
  static __device__ __forceinline__ float slope(float u) {
    const float s = sigmoid(u);
    return fmaf(u * fmaf(-s, s, s), fmaf(3 * kTwoRoot * kCube, u * u, kTwoRoot), s);
  }
  static __device__ __forceinline__ float slope_of_kept(float u) { return slope(u); }
};

struct ReluSquared {
  // Not fmaxf, which would turn NaN into 0.
  static __device__ __forceinline__ float relu(float u) { return u < 0 ? 0.0f : u; }
  static __device__ __forceinline__ float value(float u) { return relu(u) * relu(u); }
  // value() of two bf16 numbers in a word. Their squares are rounded once, as value() and its
  // rounding to bf16 do: float has room for the exact square.
  static __device__ __forceinline__ std::uint32_t value_of_pair(std::uint32_t u) {
    std::uint32_t r, y;
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(u), "r"(0));
    asm("mul.rn.bf16x2 %0, %1, %1;" : "=r"(y) : "r"(r));
    return y;
  }
  static __device__ __forceinline__ float slope(float u) { return 2 * relu(u); }
  static __device__ __forceinline__ float slope_of_kept(float y) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(y));
    return 2 * root;
  }
};

}  // namespace mgdm::ops::cuda
