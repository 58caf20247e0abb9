// The gradients of residual and norm in one pass over memory. A lane copies what it will read of
// its warp's next rows to shared memory, behind the program's back: registers would be too few for
// that beside the sums for the parameters.
#include "ops/cuda/launchers.h"
#include "ops/cuda/residual_norm_rows.cuh"
#include "ops/cuda/row_dropout.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;

// What is read of a row.
template <int kQuads>
struct Slot {
  float4 y[kQuads][32], dy[kQuads][32];
  uint2 dn[kQuads][32];
};

template <int kQuads>
constexpr int kSlots = kQuads <= 4 ? 3 : 2;  // of a warp

// As many blocks as registers and shared memory have room for.
template <int kQuads>
constexpr int kBlocks = kQuads <= 3 ? 2 : 1;

template <class T>
__device__ __forceinline__ void copy_async(T& to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(&to))),
               "l"(from), "n"(sizeof(T))
               : "memory");
}
// Copies started since the last call are a group.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until all but the newest `kCount` groups are there.
template <int kCount>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kCount) : "memory");
}

// With h = (y - mean) / sigma and g = dn * weight:
//   dx = dy + (g - mean(g) - h mean(g h)) / sigma        (without mean(g) for the RMS norm)
//   dbranch = dropout(dx);   dweight = sum over rows of dn h;   dbias = sum of dn
// and the gradient of the branch's bias is the sum of dbranch.
// parts: (gridDim.x, 3, C) of those sums.
template <bool kCentred, int kQuads, class Branch>
__global__ void __launch_bounds__(kThreads, kBlocks<kQuads>)
    backward_kernel(const float* dy, const __nv_bfloat16* dn, const float* y, const float* weight,
                    float* dx_out, Branch* dbranch_out, float* parts_out, std::int64_t rows,
                    float eps, Dropout dropout) {
  constexpr int kColumns = 128 * kQuads, kRing = kSlots<kQuads>;
  extern __shared__ __align__(16) char shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Slot<kQuads>* const ring = reinterpret_cast<Slot<kQuads>*>(shared) + kRing * warp;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  // A lane reads only what it copied itself, so it need not wait for others.
  const auto start_reading = [&](std::int64_t of, Slot<kQuads>& to) {
    if (of < rows) {
      const std::int64_t start = of * kColumns + 4 * lane;
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        copy_async(to.y[q][lane], y + start + 128 * q);
        copy_async(to.dn[q][lane], dn + start + 128 * q);
        if (dy != nullptr) copy_async(to.dy[q][lane], dy + start + 128 * q);
      }
    }
    end_group();
  };
  for (int i = 0; i + 1 < kRing; ++i) start_reading(row + i * step, ring[i]);

  Row<kQuads> dweight{}, dbias{}, dbranch_bias{};
  for (int now = 0; row < rows; row += step, now = (now + 1) % kRing) {
    start_reading(row + (kRing - 1) * step, ring[(now + kRing - 1) % kRing]);
    wait_for_groups<kRing - 1>();
    const Slot<kQuads>& read = ring[now];
    Row<kQuads> h, g;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      h.quad[q] = read.y[q][lane];
      g.quad[q] = unpack4(read.dn[q][lane]);
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
      const std::int64_t at = row * kColumns + 128 * q + 4 * lane;
      float4 dx = ((g.quad[q] - mean_g) + h.quad[q] * -mean_gh) * scale;
      if (dy != nullptr) dx = dx + read.dy[q][lane];
      store4(dx_out + at, dx);
      if (dbranch_out != nullptr) {
        if (dropout.share > 0) dx = dx * dropout.factors(at / 4);
        store4(dbranch_out + at, dx);
        if constexpr (kCentred) dbranch_bias.quad[q] = dbranch_bias.quad[q] + dx;
      }
    }
  }
  if constexpr (kCentred) {
    // The block's rows are added up in a fixed order: the sum is the same in every run.
    float* const sums = reinterpret_cast<float*>(shared);  // (kWarps, C)
    const auto add_up = [&](const Row<kQuads>& mine, int place) {
      __syncthreads();
#pragma unroll
      for (int q = 0; q < kQuads; ++q)
        store4(sums + warp * kColumns + 128 * q + 4 * lane, mine.quad[q]);
      __syncthreads();
      for (int column = threadIdx.x; column < kColumns; column += kThreads) {
        float total = 0;
        for (int w = 0; w < kWarps; ++w) total += sums[w * kColumns + column];
        parts_out[(3 * static_cast<std::int64_t>(blockIdx.x) + place) * kColumns + column] = total;
      }
    };
    wait_for_groups<0>();
    add_up(dweight, 0);
    add_up(dbias, 1);
    add_up(dbranch_bias, 2);
  }
}

template <class Branch>
void backward(const ResidualNormBackward& a, cudaStream_t stream) {
  auto* dbranch = static_cast<Branch*>(a.dbranch);
  const Dropout dropout{a.dropout, a.random};
  with_quads(a.columns, [&]<int kQuads>() {
    const auto kernel = a.weight != nullptr ? backward_kernel<true, kQuads, Branch>
                                            : backward_kernel<false, kQuads, Branch>;
    constexpr int kBytes = kWarps * kSlots<kQuads> * sizeof(Slot<kQuads>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    kernel<<<kResidualNormParts, kThreads, kBytes, stream>>>(
        a.dy, static_cast<const __nv_bfloat16*>(a.dn), a.y, a.weight, a.dx, dbranch, a.parts,
        a.rows, a.eps, dropout);
  });
  if (a.weight != nullptr)
    launch_sum_parts(a.parts, kResidualNormParts, 3 * a.columns, a.dparameters, stream);
}

}  // namespace

void launch_residual_norm_backward(const ResidualNormBackward& a, cudaStream_t stream) {
  if (a.rows == 0) return;
  a.branch_is_bf16 ? backward<__nv_bfloat16>(a, stream) : backward<float>(a, stream);
}

}  // namespace mgdm::ops::cuda
