// The gradients of residual and norm in one pass over memory. A lane copies what it will read of
// its warp's next rows to shared memory, behind the program's back: registers would be too few for
// that beside the sums for the parameters.
#include <stdexcept>
#include <type_traits>

#include "ops/cuda/device.h"
#include "ops/cuda/launchers.h"
#include "ops/cuda/residual_norm_rows.cuh"
#include "ops/cuda/row_dropout.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;

// The type of the kept row: the forward pass kept y of a layer norm, n and the scale of an RMS
// norm.
template <bool kCentred>
using Kept = std::conditional_t<kCentred, float, __nv_bfloat16>;
template <class Number>
using Four = std::conditional_t<std::is_same_v<Number, float>, float4, uint2>;

template <bool kCentred, int kQuads, class Stream>
struct Slot {
  Four<Kept<kCentred>> kept[kQuads][32];
  Four<Stream> dy[kQuads][32];
  uint2 dn[kQuads][32];
  float scale[32];  // the row's, once for each lane; only of the RMS norm
};

__device__ __forceinline__ float4 as_floats(float4 four) { return four; }
__device__ __forceinline__ float4 as_floats(uint2 bits) { return unpack4(bits); }

template <int kQuads>
constexpr int kSlots = kQuads <= 4 ? 3 : 2;  // of a warp

// As many blocks as registers and shared memory have room for.
template <bool kCentred, int kQuads>
constexpr int kBlocks = kQuads <= (kCentred ? 3 : 6) ? 2 : 1;

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
//   dx = dy + (g - mean(g) - h mean(g h)) / sigma
//   dbranch = dropout(dx);   dweight = sum over rows of dn h;   dbias = sum of dn
// and the gradient of the branch's bias is the sum of dbranch. For the RMS norm there is neither
// mean(g) nor weight, h is n as it was rounded to bf16, and 1 / sigma the scale that forward found.
// dy_is_dn: `dy` is not dy, which is zero, but a second part of dn.
// parts: (gridDim.x, 3, C) of those sums.
template <bool kCentred, int kQuads, class Stream, class Branch>
__global__ void __launch_bounds__(kThreads, kBlocks<kCentred, kQuads>)
    backward_kernel(const Stream* dy, const __nv_bfloat16* dn, bool dy_is_dn,
                    const Kept<kCentred>* kept, const float* scales, const float* weight,
                    Stream* dx_out, Branch* dbranch_out, float* parts_out, std::int64_t rows,
                    float eps, Dropout dropout) {
  constexpr int kColumns = 128 * kQuads, kRing = kSlots<kQuads>;
  extern __shared__ __align__(16) char shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  using RowSlot = Slot<kCentred, kQuads, Stream>;
  RowSlot* const ring = reinterpret_cast<RowSlot*>(shared) + kRing * warp;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  // A lane reads only what it copied itself, so it need not wait for others.
  const auto start_reading = [&](std::int64_t of, RowSlot& to) {
    if (of < rows) {
      const std::int64_t start = of * kColumns + 4 * lane;
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        if (dn != nullptr) {
          copy_async(to.kept[q][lane], kept + start + 128 * q);
          copy_async(to.dn[q][lane], dn + start + 128 * q);
        }
        if (dy != nullptr) copy_async(to.dy[q][lane], dy + start + 128 * q);
      }
      if (!kCentred && dn != nullptr) copy_async(to.scale[lane], scales + of);
    }
    end_group();
  };
  for (int i = 0; i + 1 < kRing; ++i) start_reading(row + i * step, ring[i]);

  Row<kQuads> dweight{}, dbias{}, dbranch_bias{};
  for (int now = 0; row < rows; row += step, now = (now + 1) % kRing) {
    start_reading(row + (kRing - 1) * step, ring[(now + kRing - 1) % kRing]);
    wait_for_groups<kRing - 1>();
    const RowSlot& read = ring[now];
    Row<kQuads> h{}, g{};
    float scale = 0, mean_g = 0, mean_gh = 0;
    if (dn != nullptr) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        h.quad[q] = as_floats(read.kept[q][lane]);
        g.quad[q] = unpack4(read.dn[q][lane]);
        if (dy_is_dn) g.quad[q] = g.quad[q] + as_floats(read.dy[q][lane]);
      }
      if constexpr (kCentred) {
        scale = standardize<kCentred>(h, eps);
#pragma unroll
        for (int q = 0; q < kQuads; ++q) {
          dbias.quad[q] = dbias.quad[q] + g.quad[q];
          dweight.quad[q] = dweight.quad[q] + g.quad[q] * h.quad[q];
          g.quad[q] = g.quad[q] * load4(weight + 128 * q + 4 * lane);
        }
        mean_g = g.sum() / kColumns;
      } else {
        scale = read.scale[lane];
      }
      mean_gh = (g * h).sum() / kColumns;
    }
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      const std::int64_t at = row * kColumns + 128 * q + 4 * lane;
      float4 dx = ((g.quad[q] - mean_g) + h.quad[q] * -mean_gh) * scale;
      if (dy != nullptr && !dy_is_dn) dx = dx + as_floats(read.dy[q][lane]);
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

template <bool kCentred, class Stream, class Branch>
void backward(const ResidualNormBackward& a, cudaStream_t stream) {
  const Dropout dropout{a.dropout, a.random};
  with_quads(a.columns, [&]<int kQuads>() {
    const auto kernel = backward_kernel<kCentred, kQuads, Stream, Branch>;
    constexpr int kBytes = kWarps * kSlots<kQuads> * sizeof(Slot<kCentred, kQuads, Stream>);
    // Each block takes 1 KiB more of Hopper's shared memory.
    static_assert(kBlocks<kCentred, kQuads> * (kBytes + 1024) <= 228 * 1024);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    kernel<<<static_cast<unsigned>(residual_norm_parts()), kThreads, kBytes, stream>>>(
        static_cast<const Stream*>(a.dn_again != nullptr ? a.dn_again : a.dy),
        static_cast<const __nv_bfloat16*>(a.dn), a.dn_again != nullptr,
        static_cast<const Kept<kCentred>*>(a.kept), a.scale, a.weight, static_cast<Stream*>(a.dx),
        static_cast<Branch*>(a.dbranch), a.parts, a.rows, a.eps, dropout);
  });
  if constexpr (kCentred)
    launch_sum_parts(a.parts, residual_norm_parts(), 3 * a.columns, a.dparameters, stream);
}

}  // namespace

int residual_norm_parts() { return 2 * Gpu::current().multiprocessors; }

void launch_residual_norm_backward(const ResidualNormBackward& a, cudaStream_t stream) {
  if (a.rows == 0) return;
  if (a.dn_again != nullptr && (!a.stream_is_bf16 || a.dy != nullptr || a.dn == nullptr))
    throw std::invalid_argument("a second dn is in the place of a bf16 stream's dy");
  with_kind(a, [&]<bool kCentred, class Stream, class Branch>() {
    backward<kCentred, Stream, Branch>(a, stream);
  });
}

}  // namespace mgdm::ops::cuda
