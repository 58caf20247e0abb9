// y = x + dropout(branch + its bias) and n = norm(y) in one pass over memory: LibTorch does this in
// five (dropout, add, norm, cast to bf16).
#include "ops/cuda/launchers.h"
#include "ops/cuda/residual_norm_rows.cuh"
#include "ops/cuda/row_dropout.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarps = 8;  // rows in flight per block
constexpr int kThreads = 32 * kWarps;

template <bool kCentred, int kQuads, class Stream, class Branch>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const Stream* x, const Branch* branch, const float* branch_bias,
                   const float* weight, const float* bias, Stream* y_out, __nv_bfloat16* n_out,
                   float* scale_out, std::int64_t rows, float eps, Dropout dropout,
                   const std::int64_t* picked) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t start = row * 128 * kQuads + 4 * lane;
  const std::int64_t x_start = (picked != nullptr ? picked[row] : row) * 128 * kQuads + 4 * lane;
  Row<kQuads> y;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    const std::int64_t at = start + 128 * q;
    y.quad[q] = load4(x + x_start + 128 * q);
    if (branch != nullptr) {
      float4 added = load4(branch + at);
      if (branch_bias != nullptr) added = added + load4(branch_bias + 128 * q + 4 * lane);
      if (dropout.share > 0) added = added * dropout.factors(at / 4);
      y.quad[q] = y.quad[q] + added;
      store4(y_out + at, y.quad[q]);
    }
  }
  const float scale = standardize<kCentred>(y, eps);
  if (scale_out != nullptr && lane == 0) scale_out[row] = scale;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    const int column = 128 * q + 4 * lane;
    float4 n = y.quad[q];
    if constexpr (kCentred) n = n * load4(weight + column) + load4(bias + column);
    store4(n_out + start + 128 * q, n);
  }
}

template <bool kCentred, class Stream, class Branch>
void forward(const ResidualNormForward& a, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>((a.rows + kWarps - 1) / kWarps);
  const Dropout dropout{a.dropout, a.random};
  with_quads(a.columns, [&]<int kQuads>() {
    forward_kernel<kCentred, kQuads><<<grid, kThreads, 0, stream>>>(
        static_cast<const Stream*>(a.x), static_cast<const Branch*>(a.branch), a.branch_bias,
        a.weight, a.bias, static_cast<Stream*>(a.y), static_cast<__nv_bfloat16*>(a.n), a.scale,
        a.rows, a.eps, dropout, a.picked);
  });
}

}  // namespace

bool residual_norm_takes(std::int64_t columns) {
  bool taken = false;
  if (columns % 128 == 0) with_quads(columns, [&]<int kQuads>() { taken = kQuads > 0; });
  return taken;
}

void launch_residual_norm(const ResidualNormForward& a, cudaStream_t stream) {
  if (a.rows == 0) return;
  with_kind(a, [&]<bool kCentred, class Stream, class Branch>() {
    forward<kCentred, Stream, Branch>(a, stream);
  });
}

}  // namespace mgdm::ops::cuda
