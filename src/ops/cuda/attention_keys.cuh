// The part of the backward kernel that a warp does for its keys: dk, dv, and dS for the others.
#pragma once

#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {

// A warp's keys and values, held in registers, and their dk and dv.
template <class Kind, bool kDropout>
struct Keys {
  static constexpr int kSize = Kind::kSize, kKeyTiles = Kind::kKeyTiles;
  static constexpr int kDepth = kSize / 16, kBlocks = kSize / 8;

  const HeadSettings& settings;
  const int lane, first;  // first key
  std::uint32_t k[kKeyTiles][kDepth][4], v[kKeyTiles][kDepth][4];
  float dk[kKeyTiles][kBlocks][4] = {}, dv[kKeyTiles][kBlocks][4] = {};

  // From rows in shared memory; `count` is how many there are, which may be none.
  __device__ Keys(const HeadSettings& s, std::uint32_t k_rows, std::uint32_t v_rows, int first_key,
                  int count)
      : settings(s), lane(threadIdx.x % 32), first(first_key) {
#pragma unroll
    for (int t = 0; t < kKeyTiles; ++t)
      if (16 * t < count) {
        load_tile<kSize>(k[t], k_rows + 16 * t * kPitch<kSize>);
        load_tile<kSize>(v[t], v_rows + 16 * t * kPitch<kSize>);
      }
  }

  // product (16 kTiles keys x 16 queries) = mine rows^T + start, where mine are k or v, `rows` 16
  // rows of q or do in shared memory, and start[i] the same for all keys.
  template <int kTiles>
  __device__ __forceinline__ void scores(float (&product)[kKeyTiles][2][4],
                                         const std::uint32_t (&mine)[kKeyTiles][kDepth][4],
                                         std::uint32_t rows, const float4 (&start)[2]) const {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      std::uint32_t b[4];
      load_block(b, (rows + across_rows<kSize>(lane)) ^ 32 * d);
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (d == 0) {
            multiply(product[t][i], mine[t][d], b[2 * i], b[2 * i + 1], start[i]);
          } else {
            multiply_add(product[t][i], mine[t][d], b[2 * i], b[2 * i + 1]);
          }
        }
    }
  }

  // sums (16 kTiles keys x D) += weights (16 kTiles keys x 16 queries) rows, of q or do.
  template <int kTiles>
  __device__ __forceinline__ void add(float (&sums)[kKeyTiles][kBlocks][4],
                                      const std::uint32_t (&weights)[kKeyTiles][4],
                                      std::uint32_t rows) const {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      std::uint32_t b[4];
      load_block_transposed(b, (rows + down_rows<kSize>(lane)) ^ 32 * d);
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
        multiply_add(sums[t][2 * d], weights[t], b[0], b[1]);
        multiply_add(sums[t][2 * d + 1], weights[t], b[2], b[3]);
      }
    }
  }

  // 16 queries from `query` on. q, dout: their rows in shared memory; lse (as log2): their numbers;
  // delta: minus their delta, as pairs that are there twice, which is how the product starts; ds:
  // where the keys x 16 queries of dS go. Of the warp's keys there are 16 kTiles.
  template <int kTiles, bool kMask>
  __device__ __forceinline__ void visit(int query, std::uint32_t q, std::uint32_t dout,
                                        const float* lse, const float* delta, std::uint32_t ds,
                                        int ds_stride, const AttentionDropout& dropout,
                                        std::uint32_t head) {
    float p[kKeyTiles][2][4], dp[kKeyTiles][2][4];
    const int column = lane % 4 * 2;
    float4 minus_delta[2];
#pragma unroll
    for (int n = 0; n < 2; ++n)
      minus_delta[n] = *reinterpret_cast<const float4*>(delta + 2 * (8 * n + column));
    scores<kTiles>(p, k, q, {});
    scores<kTiles>(dp, v, dout, minus_delta);  // dp - delta
    const float to_log2 = settings.scale * kLog2E;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float2 log_sum = *reinterpret_cast<const float2*>(lse + 8 * n + column);
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          p[t][n][e] =
              power_of_two(fmaf(p[t][n][e], to_log2, -(e % 2 == 0 ? log_sum.x : log_sum.y)));
    }
    if constexpr (kMask) mask(p, query);

    // Dropped weights take no part in dv, and get nothing from it.
    std::uint32_t kept[kKeyTiles][4], gradient[kKeyTiles][4];
    PhiloxWords words[2];
    if constexpr (kDropout) {
      words[0] = dropout.words(head, query + column, first + lane / 4);
      words[1] = dropout.words(head, query + column + 1, first + lane / 4);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float weight[2], ds_pair[2];
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            const int e = 2 * half + odd;
            weight[odd] = p[t][n][e];
            float back = dp[t][n][e];
            if constexpr (kDropout) {
              const std::uint32_t word = word_of(words[odd], 2 * t + half);
              const bool keep = n == 0 ? dropout.keeps_low(word) : dropout.keeps_high(word);
              back = keep ? back : odd == 0 ? minus_delta[n].x : minus_delta[n].y;
              weight[odd] = keep ? weight[odd] : 0.0f;
            }
            ds_pair[odd] = p[t][n][e] * back;
          }
          kept[t][2 * n + half] = pack(weight[0], weight[1]);
          gradient[t][2 * n + half] = pack(ds_pair[0], ds_pair[1]);
        }
    }
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
      store_block(gradient[t], ds + 16 * t * ds_stride, lane, ds_stride);
    add<kTiles>(dv, kept, dout);
    add<kTiles>(dk, gradient, q);
  }

  // The word of the warp's key octet i: one tile of keys is half of what Philox draws for.
  __device__ std::uint32_t word_of(const PhiloxWords& words, int i) const {
    return kKeyTiles == 2 || first % 32 == 0 ? words[i] : words[(2 + i) % 4];
  }

  // Weights of keys that a query does not see. (Keys from N on have rows of zeros, but their weight
  // 2^-lse may be infinite; where it cannot be, attention_backward.cu does without this.)
  __device__ void mask(float (&p)[kKeyTiles][2][4], int query) const {
    const auto clear_where = [&](auto&& is_hidden) {
#pragma unroll
      for (int t = 0; t < kKeyTiles; ++t)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int key = first + 16 * t + e / 2 * 8 + lane / 4;
#pragma unroll
          for (int n = 0; n < 2; ++n)
            if (is_hidden(key, query + 8 * n + lane % 4 * 2 + e % 2)) p[t][n][e] = 0;
        }
    };
    if (settings.causal)
      clear_where([&](int key, int i) { return key >= settings.length || key > i; });
    else
      clear_where([&](int key, int) { return key >= settings.length; });
  }
};

}  // namespace mgdm::ops::cuda
