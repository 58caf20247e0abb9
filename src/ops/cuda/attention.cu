// Attention, forward: a block takes a head, its warps take tiles of its queries.
//
// q, k and v of the head are read once into shared memory. A warp keeps its queries in registers
// and walks over the keys, 32 at a time: scores = q k^T, weights = 2^(scores - reference), out +=
// weights v. The softmax is scaled by its sum at the end, so the reference need only keep the
// powers in range: it is raised (and what was added up scaled down) only where a score exceeds it
// by more than 2^8, which after the first keys hardly ever happens.
#include <algorithm>
#include <cmath>

#include "ops/cuda/attention_launch.cuh"
#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr float kSlack = 8;  // log2 of how far weights may exceed 1 before the reference is raised
constexpr int kMaxWarps = 16;

struct Arguments {
  HeadSettings settings;
  const __nv_bfloat16* qkv;
  __nv_bfloat16* out;
  float* lse;
  unsigned ahead;  // see AttentionTuning
};

// kTiles tiles of 16 queries, against one walk over the keys.
template <int kSize, int kTiles, bool kDropout>
struct Queries {
  static constexpr int kDepth = kSize / 16;  // steps of a product over D
  static constexpr int kBlocks = kSize / 8;  // C blocks across D
  static constexpr int kPitch = kStride<kSize>;

  const HeadSettings& settings;
  const int lane, first;  // first query
  std::uint32_t q[kTiles][kDepth][4];
  float out[kTiles][kBlocks][4] = {};
  // Of rows r and r + 8 of a tile; the sum is of this lane's columns only.
  float reference[kTiles][2], sum[kTiles][2] = {};

  __device__ Queries(const HeadSettings& s, std::uint32_t rows, int first_query)
      : settings(s), lane(threadIdx.x % 32), first(first_query) {
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      reference[t][0] = reference[t][1] = -INFINITY;
#pragma unroll
      for (int d = 0; d < kDepth; ++d)
        load_block(q[t][d], rows + (first + 16 * t) * kPitch + d * 32 + down(lane, kPitch));
    }
  }

  __device__ int query(int tile, int half) const { return first + 16 * tile + 8 * half + lane / 4; }

  // 16 kGroups keys from `key` on, which is a multiple of 32. k and v are rows in shared memory.
  template <int kGroups>
  __device__ __forceinline__ void attend(std::uint32_t k, std::uint32_t v, int key, float to_log2,
                                         const AttentionDropout& dropout, std::uint32_t head) {
    float score[kTiles][2 * kGroups][4] = {};
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        std::uint32_t b[4];
        load_block(b, k + (key + 16 * g) * kPitch + d * 32 + across(lane, kPitch));
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
          multiply_add(score[t][2 * g], q[t][d], b[0], b[1]);
          multiply_add(score[t][2 * g + 1], q[t][d], b[2], b[3]);
        }
      }
    if (key + 16 * kGroups > (settings.causal ? first + 1 : settings.length))
      mask<kGroups>(score, key);
    raise_reference<kGroups>(score, to_log2);
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
#pragma unroll
      for (int n = 0; n < 2 * kGroups; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float& s = score[t][n][e];
          s = power_of_two(fmaf(s, to_log2, -reference[t][e / 2]));
          sum[t][e / 2] += s;
        }
      if constexpr (kDropout) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
          const PhiloxWords words = dropout.words(head, query(t, 0), key + lane % 4 * 2 + odd);
#pragma unroll
          for (int n = 0; n < 2 * kGroups; ++n) {
            if (!dropout.keeps_low(words[n])) score[t][n][odd] = 0;
            if (!dropout.keeps_high(words[n])) score[t][n][2 + odd] = 0;
          }
        }
      }
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      std::uint32_t weight[kTiles][4];
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float(&s)[4] = score[t][2 * g + i / 2];
          weight[t][i] = pack(s[i % 2 * 2], s[i % 2 * 2 + 1]);
        }
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        std::uint32_t b[4];
        load_block_transposed(b, v + (key + 16 * g) * kPitch + d * 32 + down(lane, kPitch));
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
          multiply_add(out[t][2 * d], weight[t], b[0], b[1]);
          multiply_add(out[t][2 * d + 1], weight[t], b[2], b[3]);
        }
      }
    }
  }

  // Keys that a query does not see get weight 0. Queries from N on, which nobody reads, see some.
  template <int kGroups>
  __device__ void mask(float (&score)[kTiles][2 * kGroups][4], int key) const {
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int n = 0; n < 2 * kGroups; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int end =
              settings.causal ? min(query(t, e / 2) + 1, settings.length) : settings.length;
          if (key + 8 * n + lane % 4 * 2 + e % 2 >= end) score[t][n][e] = -INFINITY;
        }
  }

  template <int kGroups>
  __device__ void raise_reference(const float (&score)[kTiles][2 * kGroups][4], float to_log2) {
    float most[kTiles][2];
    bool exceeds = false;
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float m = -INFINITY;
#pragma unroll
        for (int n = 0; n < 2 * kGroups; ++n)
          m = fmaxf(m, fmaxf(score[t][n][2 * half], score[t][n][2 * half + 1]));
        most[t][half] = m * to_log2;
        exceeds = exceeds || most[t][half] > reference[t][half] + kSlack;
      }
    if (!__any_sync(0xffffffff, exceeds)) return;
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float m = fmaxf(most[t][half], reference[t][half]);
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1));
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 2));
        const float shrink = power_of_two(reference[t][half] - m);
        reference[t][half] = m;
        sum[t][half] *= shrink;
#pragma unroll
        for (int n = 0; n < kBlocks; ++n) {
          out[t][n][2 * half] *= shrink;
          out[t][n][2 * half + 1] *= shrink;
        }
      }
  }

  // out (N, H D) and lse (N) of this head.
  __device__ void finish(__nv_bfloat16* to, float* lse, float kept_scale) {
    const std::int64_t pitch = static_cast<std::int64_t>(settings.heads) * kSize;
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float total = lane_sum<4>(sum[t][half]);
        const float factor = kept_scale / total;
#pragma unroll
        for (int n = 0; n < kBlocks; ++n) {
          out[t][n][2 * half] *= factor;
          out[t][n][2 * half + 1] *= factor;
        }
        if (lse != nullptr && lane % 4 == 0 && query(t, half) < settings.length)
          lse[query(t, half)] = (reference[t][half] + log2f(total)) * kLn2;
      }
      const int row = first + 16 * t;
      store_tile<kSize>(out[t], to + row * pitch, pitch, settings.length - row);
    }
  }
};

template <int kSize, int kTiles, bool kDropout>
__global__ void __launch_bounds__(32 * kMaxWarps, 1)
    attention_kernel(const __grid_constant__ Arguments a) {
  extern __shared__ __align__(16) char shared[];
  constexpr int kPitch = kStride<kSize>, kRows = 16 * kTiles;
  const HeadSettings& s = a.settings;
  const int queries = round_up(s.length, kRows), keys = round_up(s.length, 16);
  char* const q_rows = shared;
  char* const k_rows = q_rows + queries * kPitch;
  char* const v_rows = k_rows + keys * kPitch;

  const std::uint32_t head = blockIdx.x;
  const std::int64_t batch = head / s.heads, h = head % s.heads;
  const std::int64_t width = static_cast<std::int64_t>(s.heads) * kSize;
  const __nv_bfloat16* const from = a.qkv + (batch * s.length * 3 * s.heads + h) * kSize;
  load_rows<kSize>(shared_address(q_rows), from, 3 * width, s.length, queries);
  load_rows<kSize>(shared_address(k_rows), from + width, 3 * width, s.length, keys);
  load_rows<kSize>(shared_address(v_rows), from + 2 * width, 3 * width, s.length, keys);
  if (a.ahead > 0 && head + a.ahead < gridDim.x) {
    const std::uint32_t later = head + a.ahead;
    const __nv_bfloat16* const rows =
        a.qkv +
        (static_cast<std::int64_t>(later / s.heads) * s.length * 3 * s.heads + later % s.heads) *
            kSize;
    for (int i = 0; i < 3; ++i) prefetch_rows<kSize>(rows + i * width, 3 * width, s.length);
  }
  wait_for_copies();
  if (s.norm) {
    normalize_rows<kSize>(q_rows, s.length, queries, s.eps, nullptr);
    normalize_rows<kSize>(k_rows, s.length, keys, s.eps, nullptr);
  }
  __syncthreads();

  AttentionDropout dropout{};
  if constexpr (kDropout) dropout = s.dropout();
  const std::uint32_t k = shared_address(k_rows), v = shared_address(v_rows);
  const float to_log2 = s.scale * kLog2E;
  for (int first = threadIdx.x / 32 * kRows; first < s.length; first += blockDim.x / 32 * kRows) {
    Queries<kSize, kTiles, kDropout> tile(s, shared_address(q_rows), first);
    const int end = s.causal ? min(keys, first + kRows) : keys;
    int key = 0;
    for (; key + 32 <= end; key += 32) tile.template attend<2>(k, v, key, to_log2, dropout, head);
    if (key < end) tile.template attend<1>(k, v, key, to_log2, dropout, head);
    tile.finish(a.out + (batch * s.length * s.heads + h) * kSize,
                a.lse == nullptr ? nullptr : a.lse + static_cast<std::int64_t>(head) * s.length,
                kDropout ? dropout.scale() : 1.0f);
  }
}

template <int kSize, int kTiles>
int shared_bytes(int length) {
  return (round_up(length, 16 * kTiles) + 2 * round_up(length, 16)) * kStride<kSize>;
}

template <int kSize, int kTiles>
void launch(const AttentionForward& f, int warps, int ahead, cudaStream_t stream) {
  const Arguments arguments{HeadSettings(f.settings), static_cast<const __nv_bfloat16*>(f.qkv),
                            static_cast<__nv_bfloat16*>(f.out), f.lse,
                            static_cast<unsigned>(ahead)};
  const auto kernel = arguments.settings.threshold > 0 ? attention_kernel<kSize, kTiles, true>
                                                       : attention_kernel<kSize, kTiles, false>;
  launch_heads(kernel, f.settings, warps, shared_bytes<kSize, kTiles>(arguments.settings.length),
               stream, arguments);
}

}  // namespace

void launch_attention(const AttentionForward& f, cudaStream_t stream) {
  launch_attention(f, AttentionTuning{}, stream);
}

void launch_attention(const AttentionForward& f, AttentionTuning tuning, cudaStream_t stream) {
  const int length = static_cast<int>(f.settings.length);
  if (f.settings.batch * f.settings.heads * length == 0) return;
  const int tiles = tuning.tiles > 0 ? tuning.tiles : 1;
  // Warps of a block, such that each has about the same number of tiles.
  const int count = round_up(length, 16 * tiles) / (16 * tiles);
  const int turns = (count + 5) / 6;
  const int warps = tuning.warps > 0 ? std::min(tuning.warps, count)
                                     : std::min((count + turns - 1) / turns, kMaxWarps);
  switch (f.settings.size) {
    case 16:
      return launch<16, 1>(f, warps, tuning.ahead, stream);
    case 32:
      return tiles == 1 ? launch<32, 1>(f, warps, tuning.ahead, stream)
                        : launch<32, 2>(f, warps, tuning.ahead, stream);
    case 64:
      return launch<64, 1>(f, warps, tuning.ahead, stream);
  }
}

bool attention_takes(std::int64_t length, std::int64_t size) {
  if (length > 512 || (size != 16 && size != 32 && size != 64)) return false;
  const int n = static_cast<int>(length);
  const int forward = size == 16   ? shared_bytes<16, 1>(n)
                      : size == 32 ? shared_bytes<32, 2>(n)
                                   : shared_bytes<64, 1>(n);
  return std::max(forward, attention_backward_bytes(length, size)) <= shared_memory(1);
}

}  // namespace mgdm::ops::cuda
