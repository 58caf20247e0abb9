// Attention, backward: a block takes a head, and its warps take 32 keys each.
//
// With P = softmax(scale q k^T), M = 1 / (1 - share) where a weight was kept and 0 where it was
// dropped, and o the output, the gradients of a head are, for do (N, D) given,
//   dv = (P M)^T do
//   dS = P (M (do v^T) - delta)          delta_i = sum over d of do_id o_id
//   dq = scale dS k,   dk = scale dS^T q
// Here M is kept as 0 or 1, and its factor c = 1 / (1 - share) multiplies the sums at the end: dS
// stands for dS / c, delta for delta / c.
//
// P is computed again from lse. Tiles are keys x queries, so that a warp adds up the dk and dv of
// its keys in registers. dq adds up over all keys, that is over warps: they leave dS of a chunk of
// queries in shared memory (as bf16, as the tensor cores want it), and then each warp multiplies
// the dS of 16 queries by all keys.
//
// Where the keys of a head are too many for the warps of a block, they come in several parts, one
// after the other, and dq goes through device memory in between, rounded to bf16.
#include <algorithm>
#include <cmath>

#include "ops/cuda/attention_launch.cuh"
#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWarpKeys = 32;

// Registers are what limits the warps of a block: 168 and 255 a thread.
template <int kSize>
constexpr int kMaxWarps = kSize <= 32 ? 12 : 8;

// Whether a warp has room for its keys and values in registers, besides dk and dv. If so, values
// are not needed in shared memory for long.
template <int kSize>
constexpr bool kHolds = kSize <= 32;

// Where things lie in shared memory, in bytes.
template <int kSize>
struct Layout {
  int rows;       // queries, rounded up to 16
  int part;       // keys of a part: 32 per warp
  int chunk;      // queries whose dS is kept
  int ds_stride;  // dS is stored keys x queries, with 16 bytes of padding
  int q, dout, k, v, ds, lse, delta, q_factor, k_factor, bytes;

  // `tiles` of 16 queries of a chunk are each warp's when it multiplies dS by the keys.
  MGDM_HOST_DEVICE Layout(int length, int warps, int tiles) {
    constexpr int kPitch = kStride<kSize>;
    rows = round_up(length, 16);
    part = kWarpKeys * warps;
    chunk = 16 * tiles * warps < rows ? 16 * tiles * warps : rows;
    ds_stride = 2 * chunk + 16;
    const int keys = part < rows ? part : rows;
    q = 0;
    dout = q + rows * kPitch;
    k = dout + rows * kPitch;
    v = k + keys * kPitch;
    const int ds_bytes = keys * ds_stride, v_bytes = keys * kPitch;
    ds = kHolds<kSize> ? v : v + v_bytes;  // dS takes the place of the values
    lse = kHolds<kSize> ? v + (ds_bytes > v_bytes ? ds_bytes : v_bytes) : ds + ds_bytes;
    delta = lse + 4 * rows;
    q_factor = delta + 4 * rows;
    k_factor = q_factor + 4 * rows;
    bytes = k_factor + 4 * keys;
  }
};

struct Arguments {
  HeadSettings settings;
  const __nv_bfloat16 *qkv, *out, *dout;
  const float* lse;
  __nv_bfloat16* dqkv;
  unsigned ahead;  // see AttentionTuning
};

// Rows of do to shared memory, and delta = factor times the sum of do o along them.
template <int kSize>
__device__ void load_dout(char* rows, float* delta, const __nv_bfloat16* dout,
                          const __nv_bfloat16* out, std::int64_t pitch, int valid, int count,
                          float factor) {
  constexpr int kPieces = kSize / 8;
#pragma unroll 4
  for (int i = threadIdx.x; i < count * kPieces; i += blockDim.x) {
    const int row = i / kPieces, piece = i % kPieces;
    uint4 a{}, b{};
    if (row < valid) {
      a = *reinterpret_cast<const uint4*>(dout + row * pitch + 8 * piece);
      b = *reinterpret_cast<const uint4*>(out + row * pitch + 8 * piece);
    }
    const auto dot = [](std::uint32_t x, std::uint32_t y) {
      const float2 u = unpack(x), w = unpack(y);
      return u.x * w.x + u.y * w.y;
    };
    const float sum = (dot(a.x, b.x) + dot(a.y, b.y)) + (dot(a.z, b.z) + dot(a.w, b.w));
    const float total = lane_sum<kPieces>(sum);
    *reinterpret_cast<uint4*>(rows + row * kStride<kSize> + piece * 16) = a;
    if (piece == 0) delta[row] = total * factor;
  }
}

// Turns g, the gradient of a 16-row tile of normalised rows n = x / rms, into that of x:
// (g - n mean(g n)) / rms. `rows` is where the tile's rows n lie in shared memory.
template <int kSize>
__device__ void norm_gradient(float (&g)[kSize / 8][4], const char* rows, const float* factors) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    float2 n[kSize / 8];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kSize / 8; ++i) {
      n[i] = unpack(*reinterpret_cast<const std::uint32_t*>(rows + row * kStride<kSize> + i * 16 +
                                                            lane % 4 * 4));
      sum += g[i][2 * half] * n[i].x + g[i][2 * half + 1] * n[i].y;
    }
    const float mean = lane_sum<4>(sum) / kSize, factor = factors[row];
#pragma unroll
    for (int i = 0; i < kSize / 8; ++i) {
      g[i][2 * half] = (g[i][2 * half] - n[i].x * mean) * factor;
      g[i][2 * half + 1] = (g[i][2 * half + 1] - n[i].y * mean) * factor;
    }
  }
}

// A warp's 32 keys, as two tiles of 16: their dk and dv.
template <int kSize, bool kDropout>
struct Keys {
  static constexpr int kDepth = kSize / 16, kBlocks = kSize / 8, kPitch = kStride<kSize>;
  static constexpr int kHeld = kHolds<kSize> ? kDepth : 1;

  const HeadSettings& settings;
  const int lane, first;               // first key
  const std::uint32_t k_rows, v_rows;  // of these keys, in shared memory
  std::uint32_t k[2][kHeld][4], v[2][kHeld][4];
  float dk[2][kBlocks][4] = {}, dv[2][kBlocks][4] = {};

  // `count`: how many there are, at most 32; none is fine.
  __device__ Keys(const HeadSettings& s, std::uint32_t k_at, std::uint32_t v_at, int first_key,
                  int count)
      : settings(s), lane(threadIdx.x % 32), first(first_key), k_rows(k_at), v_rows(v_at) {
    if constexpr (kHolds<kSize>) {
#pragma unroll
      for (int t = 0; t < 2; ++t)
        if (16 * t < count)
#pragma unroll
          for (int d = 0; d < kDepth; ++d) {
            load_key(k[t][d], k_rows, t, d);
            load_key(v[t][d], v_rows, t, d);
          }
    }
  }

  __device__ void load_key(std::uint32_t (&block)[4], std::uint32_t rows, int t, int d) const {
    load_block(block, rows + 16 * t * kPitch + d * 32 + down(lane, kPitch));
  }

  // product (16 kTiles keys x 16 queries) = mine rows^T, where mine are k or v, and `rows` 16 rows
  // of q or do in shared memory.
  template <int kTiles>
  __device__ __forceinline__ void scores(float (&product)[2][2][4],
                                         const std::uint32_t (&mine)[2][kHeld][4],
                                         std::uint32_t my_rows, std::uint32_t rows) const {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      std::uint32_t b[4];
      load_block(b, rows + d * 32 + across(lane, kPitch));
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
        const auto multiply = [&](const std::uint32_t(&block)[4]) {
          multiply_add(product[t][0], block, b[0], b[1]);
          multiply_add(product[t][1], block, b[2], b[3]);
        };
        if constexpr (kHolds<kSize>) {
          multiply(mine[t][d]);
        } else {
          std::uint32_t block[4];
          load_key(block, my_rows, t, d);
          multiply(block);
        }
      }
    }
  }

  // sums (16 kTiles keys x D) += weights (16 kTiles keys x 16 queries) rows, of q or do.
  template <int kTiles>
  __device__ __forceinline__ void add(float (&sums)[2][kBlocks][4],
                                      const std::uint32_t (&weights)[2][4],
                                      std::uint32_t rows) const {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      std::uint32_t b[4];
      load_block_transposed(b, rows + d * 32 + down(lane, kPitch));
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
        multiply_add(sums[t][2 * d], weights[t], b[0], b[1]);
        multiply_add(sums[t][2 * d + 1], weights[t], b[2], b[3]);
      }
    }
  }

  // 16 queries from `query` on. q, dout: their rows in shared memory; lse (as log2) and delta:
  // their numbers; ds: where the keys x 16 queries of dS go. Of the warp's keys there are 16
  // kTiles.
  template <int kTiles>
  __device__ __forceinline__ void visit(int query, std::uint32_t q, std::uint32_t dout,
                                        const float* lse, const float* delta, std::uint32_t ds,
                                        int ds_stride, const AttentionDropout& dropout,
                                        std::uint32_t head) {
    float p[2][2][4] = {}, dp[2][2][4] = {};
    scores<kTiles>(p, k, k_rows, q);
    scores<kTiles>(dp, v, v_rows, dout);
    const int column = lane % 4 * 2;
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
    if (first + 16 * kTiles > (settings.causal ? min(query + 1, settings.length) : settings.length))
      mask(p, query);

    // Dropped weights take no part in dv, and get nothing from it.
    std::uint32_t kept[2][4], gradient[2][4];
    PhiloxWords words[2];
    if constexpr (kDropout) {
      words[0] = dropout.words(head, query + column, first + lane / 4);
      words[1] = dropout.words(head, query + column + 1, first + lane / 4);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float2 mean = *reinterpret_cast<const float2*>(delta + 8 * n + column);
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float weight[2], ds_pair[2];
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            const int e = 2 * half + odd;
            const float centre = odd == 0 ? mean.x : mean.y;
            weight[odd] = p[t][n][e];
            float back = dp[t][n][e];
            if constexpr (kDropout) {
              const std::uint32_t word = words[odd][2 * t + half];
              const bool keep = n == 0 ? dropout.keeps_low(word) : dropout.keeps_high(word);
              back = keep ? back : 0.0f;
              weight[odd] = keep ? weight[odd] : 0.0f;
            }
            ds_pair[odd] = p[t][n][e] * (back - centre);
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

  // Weights of keys that a query does not see. (Keys from N on have rows of zeros, but their weight
  // 2^-lse may be infinite.)
  __device__ void mask(float (&p)[2][2][4], int query) const {
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int i = query + 8 * n + lane % 4 * 2 + e % 2;
          const int key = first + 16 * t + e / 2 * 8 + lane / 4;
          if (key >= settings.length || (settings.causal && key > i)) p[t][n][e] = 0;
        }
  }
};

template <int kBlocks>
__device__ __forceinline__ void scale_tile(float (&tile)[kBlocks][4], float factor) {
#pragma unroll
  for (int n = 0; n < kBlocks; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) tile[n][e] *= factor;
}

// Adds what an earlier part of the keys left in device memory, in store_tile's place.
template <int kSize>
__device__ void add_stored(float (&tile)[kSize / 8][4], const __nv_bfloat16* from,
                           std::int64_t pitch, int rows) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (row >= rows) continue;
#pragma unroll
    for (int n = 0; n < kSize / 8; ++n) {
      const float2 v = unpack(
          *reinterpret_cast<const std::uint32_t*>(from + row * pitch + 8 * n + lane % 4 * 2));
      tile[n][2 * half] += v.x;
      tile[n][2 * half + 1] += v.y;
    }
  }
}

// kTiles: see Layout.
template <int kSize, int kTiles, bool kDropout>
__global__ void __launch_bounds__(32 * kMaxWarps<kSize>, 1)
    attention_backward_kernel(const __grid_constant__ Arguments a) {
  extern __shared__ __align__(16) char shared[];
  constexpr int kPitch = kStride<kSize>, kBlocks = kSize / 8, kDepth = kSize / 16;
  const HeadSettings& s = a.settings;
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Layout<kSize> at(s.length, warps, kTiles);
  float* const lse = reinterpret_cast<float*>(shared + at.lse);
  float* const delta = reinterpret_cast<float*>(shared + at.delta);
  float* const q_factor = reinterpret_cast<float*>(shared + at.q_factor);
  float* const k_factor = reinterpret_cast<float*>(shared + at.k_factor);
  const std::uint32_t q_rows = shared_address(shared + at.q);
  const std::uint32_t dout_rows = shared_address(shared + at.dout);
  const std::uint32_t k_rows = shared_address(shared + at.k);
  const std::uint32_t v_rows = shared_address(shared + at.v);
  const std::uint32_t ds_rows = shared_address(shared + at.ds);

  const std::uint32_t head = blockIdx.x;
  const std::int64_t batch = head / s.heads, h = head % s.heads;
  const std::int64_t width = static_cast<std::int64_t>(s.heads) * kSize, pitch = 3 * width;
  const std::int64_t corner = (batch * s.length * 3 * s.heads + h) * kSize;
  const std::int64_t out_corner = (batch * s.length * s.heads + h) * kSize;
  const __nv_bfloat16* const q_from = a.qkv + corner;
  AttentionDropout dropout{};
  if constexpr (kDropout) dropout = s.dropout();
  const float kept_scale = kDropout ? dropout.scale() : 1.0f;

  load_rows<kSize>(q_rows, q_from, pitch, s.length, at.rows);
  for (int part = 0; part < s.length; part += at.part) {
    const int keys = min(s.length - part, at.part), used = round_up(keys, 16);
    const __nv_bfloat16* const k_from = q_from + width + part * pitch;
    load_rows<kSize>(k_rows, k_from, pitch, keys, used);
    load_rows<kSize>(v_rows, k_from + width, pitch, keys, used);
    if (part == 0) {
      for (int i = threadIdx.x; i < at.rows; i += blockDim.x)
        lse[i] = i < s.length ? a.lse[static_cast<std::int64_t>(head) * s.length + i] * kLog2E
                              : INFINITY;  // no weight
      load_dout<kSize>(shared + at.dout, delta, a.dout + out_corner, a.out + out_corner, width,
                       s.length, at.rows, 1 / kept_scale);
      if (a.ahead > 0 && head + a.ahead < gridDim.x) {
        const std::uint32_t later = head + a.ahead;
        const std::int64_t first = static_cast<std::int64_t>(later / s.heads) * s.length * s.heads;
        const __nv_bfloat16* const rows = a.qkv + (3 * first + later % s.heads) * kSize;
        for (int i = 0; i < 3; ++i) prefetch_rows<kSize>(rows + i * width, pitch, s.length);
        prefetch_rows<kSize>(a.dout + (first + later % s.heads) * kSize, width, s.length);
        prefetch_rows<kSize>(a.out + (first + later % s.heads) * kSize, width, s.length);
      }
    }
    wait_for_copies();
    if (s.norm) {
      if (part == 0) normalize_rows<kSize>(shared + at.q, s.length, at.rows, s.eps, q_factor);
      normalize_rows<kSize>(shared + at.k, keys, used, s.eps, k_factor);
    }
    __syncthreads();
    const int mine = kWarpKeys * warp;
    Keys<kSize, kDropout> tile(s, k_rows + mine * kPitch, v_rows + mine * kPitch, part + mine,
                               keys - mine);
    if constexpr (kHolds<kSize>) __syncthreads();  // values are read: dS may take their place

    for (int chunk = 0; chunk < at.rows; chunk += at.chunk) {
      const int chunk_end = min(at.rows, chunk + at.chunk);
      const auto visit_all = [&]<int kUsed>() {
        // Causal: queries before the keys see none of them.
        const int start = s.causal ? max(chunk, part + mine) : chunk;
        for (int query = start; query < chunk_end; query += 16)
          tile.template visit<kUsed>(query, q_rows + query * kPitch, dout_rows + query * kPitch,
                                     lse + query, delta + query,
                                     ds_rows + mine * at.ds_stride + 2 * (query - chunk),
                                     at.ds_stride, dropout, head);
      };
      if (mine + 16 < keys) {
        visit_all.template operator()<2>();
      } else if (mine < keys) {
        visit_all.template operator()<1>();
      }
      __syncthreads();
      // dq of 16 kTiles queries: dS (queries x keys) k. Keys that no query sees have no dS.
      const int query = chunk + 16 * kTiles * warp;
      if (query < chunk_end) {
        const int seen = s.causal ? min(used, query + 16 * kTiles - part) : used;
        float dq[kTiles][kBlocks][4] = {};
        const std::uint32_t ds = ds_rows + 2 * (query - chunk) + across(lane, at.ds_stride);
#pragma unroll 2
        for (int key = 0; key < seen; key += 16) {
          std::uint32_t weights[kTiles][4];
#pragma unroll
          for (int t = 0; t < kTiles; ++t)
            load_block_transposed(weights[t], ds + key * at.ds_stride + 32 * t);
#pragma unroll
          for (int d = 0; d < kDepth; ++d) {
            std::uint32_t b[4];
            load_block_transposed(b, k_rows + key * kPitch + d * 32 + down(lane, kPitch));
#pragma unroll
            for (int t = 0; t < kTiles; ++t) {
              multiply_add(dq[t][2 * d], weights[t], b[0], b[1]);
              multiply_add(dq[t][2 * d + 1], weights[t], b[2], b[3]);
            }
          }
        }
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
          const int row = query + 16 * t;
          if (row >= at.rows) continue;
          __nv_bfloat16* const to = a.dqkv + corner + row * pitch;
          scale_tile(dq[t], s.scale * kept_scale);
          if (part > 0) add_stored<kSize>(dq[t], to, pitch, s.length - row);
          __syncwarp();  // all have read before any writes
          if (s.norm && part + at.part >= s.length)
            norm_gradient<kSize>(dq[t], shared + at.q + row * kPitch, q_factor + row);
          store_tile<kSize>(dq[t], to, pitch, s.length - row);
        }
      }
      __syncthreads();  // dS is read, and after the last chunk so are the keys
    }
    if (mine < keys)
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const int row = mine + 16 * t;
        __nv_bfloat16* const to = a.dqkv + corner + width + (part + row) * pitch;
        scale_tile(tile.dk[t], s.scale * kept_scale);
        if (s.norm) norm_gradient<kSize>(tile.dk[t], shared + at.k + row * kPitch, k_factor + row);
        store_tile<kSize>(tile.dk[t], to, pitch, keys - row);
        scale_tile(tile.dv[t], kept_scale);
        store_tile<kSize>(tile.dv[t], to + width, pitch, keys - row);
      }
    if (s.norm) __syncthreads();  // the next part's keys overwrite these
  }
}

template <int kSize, int kTiles>
void launch(const AttentionBackward& b, int warps, int ahead, cudaStream_t stream) {
  const Arguments arguments{HeadSettings(b.settings),
                            static_cast<const __nv_bfloat16*>(b.qkv),
                            static_cast<const __nv_bfloat16*>(b.out),
                            static_cast<const __nv_bfloat16*>(b.dout),
                            b.lse,
                            static_cast<__nv_bfloat16*>(b.dqkv),
                            static_cast<unsigned>(ahead)};
  const auto kernel = arguments.settings.threshold > 0
                          ? attention_backward_kernel<kSize, kTiles, true>
                          : attention_backward_kernel<kSize, kTiles, false>;
  launch_heads(kernel, b.settings, warps,
               Layout<kSize>(arguments.settings.length, warps, kTiles).bytes, stream, arguments);
}

template <int kSize>
void launch(const AttentionBackward& b, AttentionTuning tuning, cudaStream_t stream) {
  const int length = static_cast<int>(b.settings.length);
  const int count = round_up(length, kWarpKeys) / kWarpKeys;
  // As few parts as fit, and about as many keys in each.
  int warps = std::min({count, kMaxWarps<kSize>, tuning.warps > 0 ? tuning.warps : 6});
  while (warps > 1 && Layout<kSize>(length, warps, 1).bytes > shared_memory(1)) --warps;
  const int parts = (count + warps - 1) / warps;
  warps = (count + parts - 1) / parts;
  if constexpr (kHolds<kSize>) {
    const bool fits = Layout<kSize>(length, warps, 2).bytes <= shared_memory(2);
    if (tuning.tiles > 0 ? tuning.tiles == 2 : fits)
      return launch<kSize, 2>(b, warps, tuning.ahead, stream);
  }
  launch<kSize, 1>(b, warps, tuning.ahead, stream);
}

}  // namespace

int attention_backward_bytes(std::int64_t length, std::int64_t size) {
  const int n = static_cast<int>(length);
  return size == 16   ? Layout<16>(n, 1, 1).bytes
         : size == 32 ? Layout<32>(n, 1, 1).bytes
                      : Layout<64>(n, 1, 1).bytes;
}

void launch_attention_backward(const AttentionBackward& b, cudaStream_t stream) {
  launch_attention_backward(b, AttentionTuning{}, stream);
}

void launch_attention_backward(const AttentionBackward& b, AttentionTuning tuning,
                               cudaStream_t stream) {
  if (b.settings.batch * b.settings.heads * b.settings.length == 0) return;
  switch (b.settings.size) {
    case 16:
      return launch<16>(b, tuning, stream);
    case 32:
      return launch<32>(b, tuning, stream);
    case 64:
      return launch<64>(b, tuning, stream);
  }
}

}  // namespace mgdm::ops::cuda
