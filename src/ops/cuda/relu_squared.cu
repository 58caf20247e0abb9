// relu(x)^2 and its gradient 2 relu(x) dy: one pass each, eight numbers a thread.
#include "ops/cuda/launchers.h"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = 256;

// out = relu(x)^2, or with dy given 2 relu(x) dy.
__global__ void relu_squared_kernel(const __nv_bfloat16* x, const __nv_bfloat16* dy,
                                    __nv_bfloat16* out, std::int64_t count) {
  const std::int64_t first = 8 * (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x);
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const std::int64_t at = first + 4 * part;
    if (at >= count) return;
    const float4 v = load4(x + at);
    // Not fmaxf, which would turn NaN into 0.
    const auto relu = [](float x) { return x < 0 ? 0.0f : x; };
    const float4 r{relu(v.x), relu(v.y), relu(v.z), relu(v.w)};
    float4 by = r;
    if (dy != nullptr) {
      const float4 g = load4(dy + at);
      by = {2 * g.x, 2 * g.y, 2 * g.z, 2 * g.w};
    }
    store4(out + at, {r.x * by.x, r.y * by.y, r.z * by.z, r.w * by.w});
  }
}

void launch(const void* x, const void* dy, void* out, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto grid = static_cast<unsigned>((count / 8 + kThreads) / kThreads);
  relu_squared_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const __nv_bfloat16*>(x),
                                                     static_cast<const __nv_bfloat16*>(dy),
                                                     static_cast<__nv_bfloat16*>(out), count);
}

}  // namespace

void launch_relu_squared(const void* x, void* out, std::int64_t count, cudaStream_t stream) {
  launch(x, nullptr, out, count, stream);
}

void launch_relu_squared_backward(const void* dy, const void* x, void* dx, std::int64_t count,
                                  cudaStream_t stream) {
  launch(x, dy, dx, count, stream);
}

}  // namespace mgdm::ops::cuda
