// Eight neighbouring numbers, 16 bytes of bf16, as floats.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace mgdm::ops::cuda {

struct Eight {
  float value[8];
};

__device__ __forceinline__ Eight unpack(uint4 bits) {
  Eight numbers;
  const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a bf16 number is the upper half of a float
    numbers.value[2 * i] = __uint_as_float(words[i] << 16);
    numbers.value[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
  return numbers;
}

__device__ __forceinline__ uint4 pack(const Eight& numbers) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __nv_bfloat162 pair =
        __floats2bfloat162_rn(numbers.value[2 * i], numbers.value[2 * i + 1]);
    words[i] = reinterpret_cast<const unsigned&>(pair);
  }
  return {words[0], words[1], words[2], words[3]};
}

// Eight numbers of a bias, or zeros.
__device__ __forceinline__ Eight bias_at(const float* bias, std::int64_t column) {
  Eight b{};
  if (bias != nullptr) {
#pragma unroll
    for (int i = 0; i < 8; ++i) b.value[i] = bias[column + i];
  }
  return b;
}

}  // namespace mgdm::ops::cuda
