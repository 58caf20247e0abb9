// The gradient of a tensor that several streams began with: their gradients summed up in one pass,
// in float.
#include "ops/cuda/eight.cuh"
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = 256;

// A thread takes eight numbers of each part.
template <bool kAdds>
__global__ void __launch_bounds__(kThreads)
    sum_streams_kernel(const __grid_constant__ StreamSum sum) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= sum.numbers / 8) return;
  float4* const out = reinterpret_cast<float4*>(sum.out) + 2 * at;
  uint4 bits[kMostStreams];  // all on their way before the first is needed
#pragma unroll
  for (int i = 0; i < kMostStreams; ++i)
    if (i < sum.count) bits[i] = static_cast<const uint4*>(sum.parts[i])[at];
  float4 low{}, high{};
  if constexpr (kAdds) {
    low = out[0];
    high = out[1];
  }
#pragma unroll
  for (int i = 0; i < kMostStreams; ++i) {
    if (i >= sum.count) break;
    const Eight add = unpack(bits[i]);
    low = {low.x + add.value[0], low.y + add.value[1], low.z + add.value[2], low.w + add.value[3]};
    high = {high.x + add.value[4], high.y + add.value[5], high.z + add.value[6],
            high.w + add.value[7]};
  }
  out[0] = low;
  out[1] = high;
}

}  // namespace

void launch_sum_streams(const StreamSum& sum, cudaStream_t stream) {
  if (sum.numbers == 0) return;
  const auto grid = static_cast<unsigned>((sum.numbers / 8 + kThreads - 1) / kThreads);
  const auto kernel = sum.adds ? sum_streams_kernel<true> : sum_streams_kernel<false>;
  kernel<<<grid, kThreads, 0, stream>>>(sum);
}

}  // namespace mgdm::ops::cuda
