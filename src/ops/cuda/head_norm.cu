// Queries and keys of every head divided by their root mean square; values pass through.
//
// qkv is (rows, 3, H, D): vectors of D numbers, of which the first 2H of a row are normalised. D /
// 4 lanes take a vector, four numbers each, so a warp has several heads in flight.
#include "ops/cuda/launchers.h"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ float dot(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

// out = v / rms(v) forward; with dout given, its gradient (g - h mean(g h)) / rms, h = v / rms.
template <int kSize, bool kBackward>
__global__ void head_norm_kernel(const __nv_bfloat16* qkv, const __nv_bfloat16* dout,
                                 __nv_bfloat16* out, std::int64_t quads, std::int64_t heads,
                                 float eps) {
  constexpr int kLanes = kSize / 4;
  const std::int64_t quad = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const bool inside = quad < quads;  // all lanes of a warp take part in the sums
  const std::int64_t vector = quad / kLanes;
  const bool value = vector % (3 * heads) >= 2 * heads;
  float4 v = inside ? load4(qkv + 4 * quad) : float4{};
  const float scale = rsqrtf(lane_sum<kLanes>(dot(v, v)) / kSize + eps);
  if constexpr (kBackward) {
    float4 g = inside ? load4(dout + 4 * quad) : float4{};
    const float mean_gh = lane_sum<kLanes>(dot(g, v)) * scale / kSize;
    if (!value) {
      const auto one = [&](float gi, float vi) { return (gi - vi * scale * mean_gh) * scale; };
      g = {one(g.x, v.x), one(g.y, v.y), one(g.z, v.z), one(g.w, v.w)};
    }
    v = g;
  } else if (!value) {
    v = {v.x * scale, v.y * scale, v.z * scale, v.w * scale};
  }
  if (inside) store4(out + 4 * quad, v);
}

template <bool kBackward>
void launch(const void* qkv, const void* dout, void* out, std::int64_t rows, std::int64_t heads,
            std::int64_t size, float eps, cudaStream_t stream) {
  const std::int64_t quads = rows * 3 * heads * size / 4;
  if (quads == 0) return;
  const auto grid = static_cast<unsigned>((quads + kThreads - 1) / kThreads);
  const auto run = [&]<int kSize>() {
    head_norm_kernel<kSize, kBackward><<<grid, kThreads, 0, stream>>>(
        static_cast<const __nv_bfloat16*>(qkv), static_cast<const __nv_bfloat16*>(dout),
        static_cast<__nv_bfloat16*>(out), quads, heads, eps);
  };
  switch (size) {
    case 16:
      return run.template operator()<16>();
    case 32:
      return run.template operator()<32>();
    case 64:
      return run.template operator()<64>();
    case 128:
      return run.template operator()<128>();
  }
}

}  // namespace

bool head_norm_takes(std::int64_t size) {
  return size == 16 || size == 32 || size == 64 || size == 128;
}

void launch_head_norm(const void* qkv, void* out, std::int64_t rows, std::int64_t heads,
                      std::int64_t size, float eps, cudaStream_t stream) {
  launch<false>(qkv, nullptr, out, rows, heads, size, eps, stream);
}

void launch_head_norm_backward(const void* dout, const void* qkv, void* dqkv, std::int64_t rows,
                               std::int64_t heads, std::int64_t size, float eps,
                               cudaStream_t stream) {
  launch<true>(qkv, dout, dqkv, rows, heads, size, eps, stream);
}

}  // namespace mgdm::ops::cuda
