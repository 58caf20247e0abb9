// A warp takes 256 columns of a row, a lane eight of them (16 bytes), and goes over the rows in
// large steps: the bias, and the sums for its gradient, stay in registers. The grid is (columns /
// 256, parts); a part's sums are one row of the workspace.
//
// Rows are taken from the last to the first: the product before wrote the last rows last, so some
// of them are still in the cache, and so are the first rows for the product after.
#include <algorithm>

#include "ops/cuda/activations.cuh"
#include "ops/cuda/bias_activation.h"
#include "ops/cuda/device.h"
#include "ops/cuda/eight.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kWidth = 256;  // columns of a block
constexpr int kBlocks = 4;   // on each multiprocessor

struct None {};  // for the sums alone

// A pass reads and writes: kForward x -> y; kBackward the kept x and dy -> dx and its sums; kSum
// the sums of dy alone.
enum class Pass { kForward, kBackward, kSum };

template <class F, Pass kPass>
__global__ void __launch_bounds__(kThreads, 4)
    columns_kernel(const __nv_bfloat16* x, const __nv_bfloat16* dy, const float* bias,
                   __nv_bfloat16* out, float* parts, std::int64_t rows, int columns) {
  // Rows whose loads a thread starts before it uses the first.
  constexpr int kInFlight = kPass == Pass::kBackward ? 2 : 4;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int column = static_cast<int>(blockIdx.x) * kWidth + 8 * lane;
  const bool inside = column < columns;
  const Eight b = bias_at(inside ? bias : nullptr, column);
  Eight sum{};
  const auto at = [&](std::int64_t row) { return (rows - 1 - row) * columns + column; };
  const auto load = [&](const __nv_bfloat16* from, std::int64_t row) {
    return __ldcs(reinterpret_cast<const uint4*>(from + at(row)));
  };
  const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kWarps + warp;
  for (; inside && row < rows; row += kInFlight * step) {
    uint4 x_bits[kInFlight], dy_bits[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (row + k * step >= rows) break;
      if constexpr (kPass != Pass::kSum) x_bits[k] = load(x, row + k * step);
      if constexpr (kPass != Pass::kForward) dy_bits[k] = load(dy, row + k * step);
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (row + k * step >= rows) break;
      Eight result;
      if constexpr (kPass == Pass::kSum) {
        result = unpack(dy_bits[k]);
      } else {
        result = unpack(x_bits[k]);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          const float u = result.value[i] + b.value[i];
          result.value[i] = kPass == Pass::kForward ? F::value(u) : F::slope_of_kept(u);
        }
        if constexpr (kPass == Pass::kBackward) {
          const Eight g = unpack(dy_bits[k]);
#pragma unroll
          for (int i = 0; i < 8; ++i) result.value[i] *= g.value[i];
        }
        *reinterpret_cast<uint4*>(out + at(row + k * step)) = pack(result);
      }
      if constexpr (kPass != Pass::kForward) {
#pragma unroll
        for (int i = 0; i < 8; ++i) sum.value[i] += result.value[i];
      }
    }
  }
  if constexpr (kPass != Pass::kForward) {
    if (parts == nullptr) return;
    __shared__ float sums[kWarps][kWidth];
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[warp][8 * lane + i] = sum.value[i];
    __syncthreads();
    const int mine = static_cast<int>(blockIdx.x) * kWidth + static_cast<int>(threadIdx.x);
    if (mine >= columns) return;
    float total = 0;
    for (int w = 0; w < kWarps; ++w) total += sums[w][threadIdx.x];
    parts[static_cast<std::int64_t>(blockIdx.y) * columns + mine] = total;
  }
}

std::int64_t tiles_of(std::int64_t columns) { return (columns + kWidth - 1) / kWidth; }
std::int64_t parts_of(std::int64_t columns) {
  return std::max<std::int64_t>(1, kBlocks * Gpu::current().multiprocessors / tiles_of(columns));
}

template <class F, Pass kPass>
void launch(const void* x, const void* dy, const float* bias, void* out, float* sums,
            float* workspace, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  if (columns == 0) return;
  const dim3 grid(static_cast<unsigned>(tiles_of(columns)),
                  static_cast<unsigned>(parts_of(columns)));
  columns_kernel<F, kPass><<<grid, kThreads, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(x), static_cast<const __nv_bfloat16*>(dy), bias,
      static_cast<__nv_bfloat16*>(out), sums != nullptr ? workspace : nullptr, rows,
      static_cast<int>(columns));
  if (sums != nullptr) launch_sum_parts(workspace, parts_of(columns), columns, sums, stream);
}

}  // namespace

void launch_bias_activation(Activation activation, const void* x, const float* bias, void* y,
                            std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  const auto run = activation == Activation::kGelu ? launch<Gelu, Pass::kForward>
                                                   : launch<ReluSquared, Pass::kForward>;
  run(x, nullptr, bias, y, nullptr, nullptr, rows, columns, stream);
}

void launch_bias_activation_backward(Activation activation, const void* dy, const void* kept,
                                     const float* bias, void* dx, float* dbias, float* workspace,
                                     std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  const auto run = activation == Activation::kGelu ? launch<Gelu, Pass::kBackward>
                                                   : launch<ReluSquared, Pass::kBackward>;
  run(kept, dy, bias, dx, dbias, workspace, rows, columns, stream);
}

void launch_column_sum(const void* x, float* sums, float* workspace, std::int64_t rows,
                       std::int64_t columns, cudaStream_t stream) {
  launch<None, Pass::kSum>(nullptr, x, nullptr, nullptr, sums, workspace, rows, columns, stream);
}

std::size_t column_sum_workspace(std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(parts_of(columns) * columns);
}

}  // namespace mgdm::ops::cuda
