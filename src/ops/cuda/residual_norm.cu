// y = x + dropout(branch), n = norm(y), and their gradients, each in one pass over memory.
//
// LibTorch does this in five passes forward (dropout, add, norm, cast to bf16) and more backward;
// these rows are read and written once. A warp takes a row; a lane keeps its part of it, C / 32
// numbers, in registers, so that mean and variance are sums over registers and one shuffle.
#include "ops/cuda/launchers.h"
#include "ops/cuda/row_dropout.cuh"
#include "ops/cuda/sum_parts.h"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarps = 8;  // rows in flight per block
constexpr int kThreads = 32 * kWarps;

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

template <bool kCentred, int kQuads, class Branch>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const float* x, const Branch* branch, const float* weight, const float* bias,
                   float* y_out, __nv_bfloat16* n_out, std::int64_t rows, float eps,
                   Dropout dropout) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t start = row * 128 * kQuads + 4 * lane;
  Row<kQuads> y;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    const std::int64_t at = start + 128 * q;
    y.quad[q] = load4(x + at);
    if (branch != nullptr) {
      float4 added = load4(branch + at);
      if (dropout.share > 0) added = added * dropout.factors(at / 4);
      y.quad[q] = y.quad[q] + added;
      store4(y_out + at, y.quad[q]);
    }
  }
  standardize<kCentred>(y, eps);
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    const int column = 128 * q + 4 * lane;
    float4 n = y.quad[q];
    if constexpr (kCentred) n = n * load4(weight + column) + load4(bias + column);
    store4(n_out + start + 128 * q, n);
  }
}

// What the backward pass reads of a row, as it lies in memory.
template <int kQuads>
struct Read {
  float4 y[kQuads], dy[kQuads];
  uint2 dn[kQuads];

  __device__ __forceinline__ Read(const float* y_at, const __nv_bfloat16* dn_at, const float* dy_at,
                                  std::int64_t start) {
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      y[q] = load4(y_at + start + 128 * q);
      dn[q] = *reinterpret_cast<const uint2*>(dn_at + start + 128 * q);
      dy[q] = dy_at != nullptr ? load4(dy_at + start + 128 * q) : float4{};
    }
  }
};

// With h = (y - mean) / sigma and g = dn * weight:
//   dx = dy + (g - mean(g) - h mean(g h)) / sigma        (without mean(g) for the RMS norm)
//   dbranch = dropout(dx);   dweight = sum over rows of dn h;   dbias = sum of dn
// parts: (gridDim.x, 2, C) of dweight and dbias.
template <bool kCentred, int kQuads, class Branch>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const float* dy, const __nv_bfloat16* dn, const float* y_in,
                    const float* weight, float* dx_out, Branch* dbranch_out, float* parts_out,
                    std::int64_t rows, float eps, Dropout dropout) {
  constexpr int kColumns = 128 * kQuads;
  // Wide rows are enough bytes in flight; of others a warp reads one ahead.
  constexpr bool kAhead = kQuads <= 3;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  const auto read = [&](std::int64_t of) {
    return Read<kQuads>(y_in, dn, dy, min(of, rows - 1) * kColumns + 4 * lane);
  };
  Row<kQuads> dweight{}, dbias{};
  Read<kQuads> next = read(row);
  for (; row < rows; row += step) {
    if constexpr (!kAhead) next = read(row);
    const std::int64_t start = row * kColumns + 4 * lane;
    const Read<kQuads> now = next;
    if constexpr (kAhead) next = read(row + step);
    Row<kQuads> h, g;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      h.quad[q] = now.y[q];
      g.quad[q] = unpack4(now.dn[q]);
    }
    const float scale = standardize<kCentred>(h, eps);
    float mean_g = 0;
    if constexpr (kCentred) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        dbias.quad[q] = dbias.quad[q] + g.quad[q];
        dweight.quad[q] = dweight.quad[q] + g.quad[q] * h.quad[q];
        g.quad[q] = g.quad[q] * load4(weight + 128 * q + 4 * lane);
      }
      mean_g = g.sum() / kColumns;
    }
    const float mean_gh = (g * h).sum() / kColumns;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      const std::int64_t at = start + 128 * q;
      float4 dx = ((g.quad[q] - mean_g) + h.quad[q] * -mean_gh) * scale + now.dy[q];
      store4(dx_out + at, dx);
      if (dbranch_out != nullptr) {
        if (dropout.share > 0) dx = dx * dropout.factors(at / 4);
        store4(dbranch_out + at, dx);
      }
    }
  }
  if constexpr (kCentred) {
    // The block's rows are added up in a fixed order: the sum is the same in every run.
    __shared__ float parts[kWarps][kColumns];
    const auto add_up = [&](const Row<kQuads>& mine, int place) {
      __syncthreads();
#pragma unroll
      for (int q = 0; q < kQuads; ++q) store4(&parts[warp][128 * q + 4 * lane], mine.quad[q]);
      __syncthreads();
      for (int column = threadIdx.x; column < kColumns; column += kThreads) {
        float total = 0;
        for (int w = 0; w < kWarps; ++w) total += parts[w][column];
        parts_out[(2 * static_cast<std::int64_t>(blockIdx.x) + place) * kColumns + column] = total;
      }
    };
    add_up(dweight, 0);
    add_up(dbias, 1);
  }
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

template <class Branch>
void forward(const ResidualNormForward& a, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>((a.rows + kWarps - 1) / kWarps);
  const auto* branch = static_cast<const Branch*>(a.branch);
  const Dropout dropout{a.dropout, a.random};
  with_quads(a.columns, [&]<int kQuads>() {
    const auto kernel = a.weight != nullptr ? forward_kernel<true, kQuads, Branch>
                                            : forward_kernel<false, kQuads, Branch>;
    kernel<<<grid, kThreads, 0, stream>>>(a.x, branch, a.weight, a.bias, a.y,
                                          static_cast<__nv_bfloat16*>(a.n), a.rows, a.eps, dropout);
  });
}

template <class Branch>
void backward(const ResidualNormBackward& a, cudaStream_t stream) {
  auto* dbranch = static_cast<Branch*>(a.dbranch);
  const Dropout dropout{a.dropout, a.random};
  with_quads(a.columns, [&]<int kQuads>() {
    const auto kernel = a.weight != nullptr ? backward_kernel<true, kQuads, Branch>
                                            : backward_kernel<false, kQuads, Branch>;
    kernel<<<kResidualNormParts, kThreads, 0, stream>>>(
        a.dy, static_cast<const __nv_bfloat16*>(a.dn), a.y, a.weight, a.dx, dbranch, a.parts,
        a.rows, a.eps, dropout);
  });
  if (a.weight != nullptr)
    launch_sum_parts(a.parts, kResidualNormParts, 2 * a.columns, a.dparameters, stream);
}

}  // namespace

bool residual_norm_takes(std::int64_t columns) {
  bool taken = false;
  if (columns % 128 == 0) with_quads(columns, [&]<int kQuads>() { taken = kQuads > 0; });
  return taken;
}

void launch_residual_norm(const ResidualNormForward& a, cudaStream_t stream) {
  if (a.rows == 0) return;
  a.branch_is_bf16 ? forward<__nv_bfloat16>(a, stream) : forward<float>(a, stream);
}

void launch_residual_norm_backward(const ResidualNormBackward& a, cudaStream_t stream) {
  if (a.rows == 0) return;
  a.branch_is_bf16 ? backward<__nv_bfloat16>(a, stream) : backward<float>(a, stream);
}

}  // namespace mgdm::ops::cuda
