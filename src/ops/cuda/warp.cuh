// What the row kernels share: a warp's sum, and four neighbours read or written at once as floats.
#pragma once

#include <cuda_bf16.h>

namespace mgdm::ops::cuda {

// Sum over groups of `width` neighbouring lanes; every lane of the group gets it.
template <int width = 32>
__device__ __forceinline__ float lane_sum(float value) {
#pragma unroll
  for (int offset = width / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__device__ __forceinline__ float4 load4(const float* at) {
  return *reinterpret_cast<const float4*>(at);
}

// Four bf16 numbers as floats.
__device__ __forceinline__ float4 unpack4(uint2 bits) {
  const float2 low = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(bits.x));
  const float2 high = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(bits.y));
  return {low.x, low.y, high.x, high.y};
}

__device__ __forceinline__ float4 load4(const __nv_bfloat16* at) {
  return unpack4(*reinterpret_cast<const uint2*>(at));
}

__device__ __forceinline__ void store4(float* at, float4 v) { *reinterpret_cast<float4*>(at) = v; }

__device__ __forceinline__ void store4(__nv_bfloat16* at, float4 v) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(v.x, v.y);
  const __nv_bfloat162 high = __floats2bfloat162_rn(v.z, v.w);
  uint2 bits;
  bits.x = reinterpret_cast<const unsigned&>(low);
  bits.y = reinterpret_cast<const unsigned&>(high);
  *reinterpret_cast<uint2*>(at) = bits;
}

// Splits off a pair's bf16 part; what is left stays.
__device__ __forceinline__ unsigned take_bf16(float2& pair) {
  const __nv_bfloat162 part = __floats2bfloat162_rn(pair.x, pair.y);
  const float2 taken = __bfloat1622float2(part);
  pair.x -= taken.x;
  pair.y -= taken.y;
  return reinterpret_cast<const unsigned&>(part);
}

}  // namespace mgdm::ops::cuda
