#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kLanes = 32;   // a block takes 32 columns, a lane each
constexpr int kSlices = 16;  // whose parts are cut in 16 slices, a warp each

__global__ void __launch_bounds__(kLanes* kSlices)
    sum_parts_kernel(const float* parts, std::int64_t count, std::int64_t columns, float* out) {
  __shared__ float sums[kSlices][kLanes];
  const int lane = threadIdx.x % kLanes, slice = threadIdx.x / kLanes;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kLanes + lane;
  float sum = 0;
  if (column < columns) {
#pragma unroll 8
    for (std::int64_t part = slice; part < count; part += kSlices)
      sum += parts[part * columns + column];
  }
  sums[slice][lane] = sum;
  __syncthreads();
  if (slice != 0 || column >= columns) return;
  for (int other = 1; other < kSlices; ++other) sum += sums[other][lane];
  out[column] = sum;
}

}  // namespace

void launch_sum_parts(const float* parts, std::int64_t count, std::int64_t columns, float* out,
                      cudaStream_t stream) {
  if (columns == 0) return;
  const auto grid = static_cast<unsigned>((columns + kLanes - 1) / kLanes);
  sum_parts_kernel<<<grid, kLanes * kSlices, 0, stream>>>(parts, count, columns, out);
}

}  // namespace mgdm::ops::cuda
