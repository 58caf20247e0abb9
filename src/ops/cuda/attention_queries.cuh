// The part of the forward kernel that a warp does for its queries.
#pragma once

#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {

// Sums of powers that are fine: no power is lost that counts, and out, at most kMost |v|, is
// finite.
constexpr float kLeast = 0x1p-60f, kMost = 0x1p60f;

// A tile of 16 queries.
template <int kSize, bool kDropout>
struct Queries {
  static constexpr int kDepth = kSize / 16;  // steps of a product over D
  static constexpr int kBlocks = kSize / 8;  // C blocks across D

  const HeadSettings& settings;
  const AttentionDropout& dropout;
  const int lane, first;     // first query
  const std::uint32_t head;  // b H + h
  std::uint32_t q[kDepth][4];
  float out[kBlocks][4];
  // The softmax's reference and sum of rows r and r + 8 of the tile.
  float reference[2], sum[2];

  __device__ Queries(const HeadSettings& s, const AttentionDropout& d, std::uint32_t rows,
                     int first_query)
      : settings(s), dropout(d), lane(threadIdx.x % 32), first(first_query), head(blockIdx.x) {
    load_tile<kSize>(q, rows + first * kPitch<kSize>);
  }

  __device__ int query(int half) const { return first + 8 * half + lane / 4; }

  // All keys. k and v are rows in shared memory, from key 0 on.
  template <bool kMaximum>
  __device__ __forceinline__ void walk(std::uint32_t k, std::uint32_t v, int keys) {
#pragma unroll
    for (int n = 0; n < kBlocks; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) out[n][e] = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      reference[half] = kMaximum ? -INFINITY : 0;
      sum[half] = 0;
    }
    // Keys that all queries see, and that some see.
    const int all = settings.causal ? min(first + 1, settings.length) : settings.length;
    const int some = settings.causal ? min(keys, first + 16) : keys;
    int key = 0;
    for (; key + 32 <= all; key += 32) attend<kMaximum, 2, false>(k, v, key);
    for (; key + 32 <= some; key += 32) attend<kMaximum, 2, true>(k, v, key);
    if (key < some) attend<kMaximum, 1, true>(k, v, key);
#pragma unroll
    for (int half = 0; half < 2; ++half) sum[half] = lane_sum<4>(sum[half]);
  }

  // 16 kGroups keys from `key` on, a multiple of 32.
  template <bool kMaximum, int kGroups, bool kMask>
  __device__ __forceinline__ void attend(std::uint32_t k, std::uint32_t v, int key) {
    k += key * kPitch<kSize>;
    v += key * kPitch<kSize>;
    float score[2 * kGroups][4];
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        std::uint32_t b[4];
        load_block(b, ((k + across_rows<kSize>(lane)) ^ 32 * d) + 16 * g * kPitch<kSize>);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (d == 0) {
            multiply(score[2 * g + i], q[d], b[2 * i], b[2 * i + 1], float4{});
          } else {
            multiply_add(score[2 * g + i], q[d], b[2 * i], b[2 * i + 1]);
          }
        }
      }
    if constexpr (kMask) mask<kGroups>(score, key);
    const float to_log2 = settings.scale * kLog2E;
    if constexpr (kMaximum) raise_reference<kGroups>(score, to_log2);
#pragma unroll
    for (int n = 0; n < 2 * kGroups; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float(&s)[4] = score[n];
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e)
          s[e] = power_of_two(kMaximum ? fmaf(s[e], to_log2, -reference[half]) : s[e] * to_log2);
        sum[half] += s[2 * half] + s[2 * half + 1];
      }
    if constexpr (kDropout) {
#pragma unroll
      for (int odd = 0; odd < 2; ++odd) {
        const PhiloxWords words = dropout.words(head, query(0), key + lane % 4 * 2 + odd);
#pragma unroll
        for (int n = 0; n < 2 * kGroups; ++n) {
          if (!dropout.keeps_low(words[n])) score[n][odd] = 0;
          if (!dropout.keeps_high(words[n])) score[n][2 + odd] = 0;
        }
      }
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      std::uint32_t weight[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float(&s)[4] = score[2 * g + i / 2];
        weight[i] = pack(s[i % 2 * 2], s[i % 2 * 2 + 1]);
      }
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        std::uint32_t b[4];
        load_block_transposed(b, ((v + down_rows<kSize>(lane)) ^ 32 * d) + 16 * g * kPitch<kSize>);
        multiply_add(out[2 * d], weight, b[0], b[1]);
        multiply_add(out[2 * d + 1], weight, b[2], b[3]);
      }
    }
  }

  // Keys that a query does not see get weight 0. Queries from N on, which nobody reads, see some.
  template <int kGroups>
  __device__ void mask(float (&score)[2 * kGroups][4], int key) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int end = settings.causal ? min(query(half) + 1, settings.length) : settings.length;
#pragma unroll
      for (int n = 0; n < 2 * kGroups; ++n)
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
          if (key + 8 * n + lane % 4 * 2 + odd >= end) score[n][2 * half + odd] = -INFINITY;
    }
  }

  // Makes the maximum so far the reference. Every query sees key 0, so it is finite from then on.
  template <int kGroups>
  __device__ void raise_reference(const float (&score)[2 * kGroups][4], float to_log2) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = score[0][2 * half];
#pragma unroll
      for (int n = 0; n < 2 * kGroups; ++n)
        most = fmaxf(most, fmaxf(score[n][2 * half], score[n][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 2));
      most = fmaxf(most * to_log2, reference[half]);
      const float shrink = power_of_two(reference[half] - most);
      reference[half] = most;
      sum[half] *= shrink;
#pragma unroll
      for (int n = 0; n < kBlocks; ++n) {
        out[n][2 * half] *= shrink;
        out[n][2 * half + 1] *= shrink;
      }
    }
  }

  // Whether the sums of all queries of the warp are fine.
  __device__ bool in_range() const {
    bool fine = true;
#pragma unroll
    for (int half = 0; half < 2; ++half) fine = fine && sum[half] > kLeast && sum[half] < kMost;
    return __all_sync(0xffffffff, fine);
  }

  // out (N, H D) and lse (N) of this head.
  __device__ __forceinline__ void finish(__nv_bfloat16* to, float* lse) {
    const int pitch = settings.heads * kSize;
    const float kept_scale = kDropout ? dropout.scale() : 1.0f;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float factor = __fdividef(kept_scale, sum[half]);
#pragma unroll
      for (int n = 0; n < kBlocks; ++n) {
        out[n][2 * half] *= factor;
        out[n][2 * half + 1] *= factor;
      }
      if (lse != nullptr && lane % 4 == 0 && query(half) < settings.length)
        lse[query(half)] = (reference[half] + __log2f(sum[half])) * kLn2;
    }
    store_tile<kSize>(out, to + first * pitch, pitch, settings.length - first);
  }
};

}  // namespace mgdm::ops::cuda
