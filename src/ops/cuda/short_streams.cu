// The gradient of a tensor that several streams began with: their gradients summed up in one pass,
// in float.
#include "ops/cuda/eight.cuh"
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = 256;

struct Parts {
  const uint4* part[kMostStreams];
};

// A thread takes eight numbers of each part.
template <bool kAdds>
__global__ void __launch_bounds__(kThreads)
    sum_streams_kernel(Parts parts, int count, float4* out, std::int64_t eights) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= eights) return;
  uint4 bits[kMostStreams];  // all on their way before the first is needed
#pragma unroll
  for (int i = 0; i < kMostStreams; ++i)
    if (i < count) bits[i] = parts.part[i][at];
  float4 low{}, high{};
  if constexpr (kAdds) {
    low = out[2 * at];
    high = out[2 * at + 1];
  }
#pragma unroll
  for (int i = 0; i < kMostStreams; ++i) {
    if (i >= count) break;
    const Eight add = unpack(bits[i]);
    low = {low.x + add.value[0], low.y + add.value[1], low.z + add.value[2], low.w + add.value[3]};
    high = {high.x + add.value[4], high.y + add.value[5], high.z + add.value[6],
            high.w + add.value[7]};
  }
  out[2 * at] = low;
  out[2 * at + 1] = high;
}

}  // namespace

void launch_sum_streams(const StreamSum& sum, cudaStream_t stream) {
  if (sum.numbers == 0) return;
  const std::int64_t eights = sum.numbers / 8;
  const auto grid = static_cast<unsigned>((eights + kThreads - 1) / kThreads);
  Parts parts{};
  for (int i = 0; i < sum.count; ++i) parts.part[i] = static_cast<const uint4*>(sum.parts[i]);
  const auto kernel = sum.adds ? sum_streams_kernel<true> : sum_streams_kernel<false>;
  kernel<<<grid, kThreads, 0, stream>>>(parts, sum.count, reinterpret_cast<float4*>(sum.out),
                                        eights);
}

}  // namespace mgdm::ops::cuda
