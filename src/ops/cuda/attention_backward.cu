// Attention, backward: a block takes a head, and its warps take 32 keys each, or 16 where heads are
// large.
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
#include "ops/cuda/attention_copies.cuh"
#include "ops/cuda/attention_gradient.cuh"
#include "ops/cuda/attention_keys.cuh"
#include "ops/cuda/attention_layout.h"
#include "ops/cuda/attention_rows.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

template <int kSize>
struct Arguments {
  HeadSettings settings;
  HeadTensor<kSize> qkv, out, dout;
  const float* lse;
  __nv_bfloat16* dqkv;
  BackwardLayout layout;
  int chunk;     // queries whose dS is kept at a time
  bool bounded;  // keys behind the last one need no mask, see kMostScore
  float* sums;   // (B, 3, H, D): of dq, dk and dv over N; or null
};

// Scores of normalised rows are at least -scale D, and so is lse. Where scale D is less than this,
// a key of zeros, as there are behind the last one, gets a weight of at most e^40: its dS is
// finite, and times the key it is 0.
constexpr float kMostScore = 40;

// A block's sums of dq, dk and dv over rows, from those of its warps, as column_sums() has them.
template <int kSize>
__device__ void store_sums(float* shared, const float2 (&mine)[3], float* to, int width) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int column = 8 * (lane / (256 / kSize)) + lane % 4 * 2;
#pragma unroll
  for (int which = 0; which < 3; ++which)
    *reinterpret_cast<float2*>(shared + (3 * warp + which) * kSize + column) = mine[which];
  __syncthreads();
  for (int i = threadIdx.x; i < 3 * kSize; i += blockDim.x) {
    float sum = 0;
    for (int w = 0; w < warps; ++w) sum += shared[3 * w * kSize + i];
    to[i / kSize * width + i % kSize] = sum;
  }
}

// Minus delta, which is factor times the sum of do o along rows: two rows' numbers twice, (a, b, a,
// b), as Keys::visit() wants them. Rows of do are in shared memory, at least those that the warp
// visits; load_out(tile, row) loads those of o.
template <int kSize, class LoadOut>
__device__ __forceinline__ void sum_rows(float* delta, std::uint32_t dout, LoadOut load_out,
                                         float factor, int count) {
  const int lane = threadIdx.x % 32;
  __syncwarp();
  for_each_tile(count, [&](int row) {
    std::uint32_t a[kSize / 16][4], b[kSize / 16][4];
    load_tile<kSize>(a, dout + row * kPitch<kSize>);
    load_out(b, row);
    const float2 sums = row_dots(a, b);
    float* const to = delta + (row + lane / 4) / 2 * 4 + lane / 4 % 2;
    if (lane % 4 == 0) {
      to[0] = to[2] = -sums.x * factor;
      to[16] = to[18] = -sums.y * factor;  // 8 rows on
    }
  });
}

// A tile of 16 rows, of which there are `rows`, in device memory, as load_tile() has it.
template <int kSize>
__device__ __forceinline__ void load_tile_from(std::uint32_t (&tile)[kSize / 16][4],
                                               const __nv_bfloat16* from, int pitch, int rows) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i % 2 * 8;
#pragma unroll
    for (int d = 0; d < kSize / 16; ++d)
      tile[d][i] = row < rows ? *reinterpret_cast<const std::uint32_t*>(
                                    from + row * pitch + 16 * d + i / 2 * 8 + lane % 4 * 2)
                              : 0;
  }
}

// kWhole: all keys are one part, and all queries one chunk. That can be only where warps take as
// many queries as keys.
template <class Kind, bool kDropout, bool kWhole>
__global__ void __launch_bounds__(32 * Kind::kMaxWarps, 1)
    attention_backward_kernel(const __grid_constant__ Arguments<Kind::kSize> a) {
  extern __shared__ __align__(1024) char shared[];
  constexpr int kSize = Kind::kSize, kTiles = Kind::kTiles;
  constexpr int kRow = kPitch<kSize>, kBlocks = kSize / 8, kDepth = kSize / 16;
  const HeadSettings& s = a.settings;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const BackwardLayout& at = a.layout;
  float* const lse = reinterpret_cast<float*>(shared + at.lse);
  float* const delta = reinterpret_cast<float*>(shared + at.delta);
  float* const q_factor = reinterpret_cast<float*>(shared + at.q_factor);
  float* const k_factor = reinterpret_cast<float*>(shared + at.k_factor);
  const std::uint32_t q_rows = shared_address(shared + at.q);
  const std::uint32_t dout_rows = shared_address(shared + at.dout);
  const std::uint32_t k_rows = shared_address(shared + at.k);
  const std::uint32_t v_rows = shared_address(shared + at.v);
  const std::uint32_t out_rows = shared_address(shared + at.out);
  const std::uint32_t ds_rows = shared_address(shared + at.ds);

  const std::uint32_t head = blockIdx.x;
  const int width = s.heads * kSize, pitch = 3 * width;
  const std::int64_t batch = head / s.heads;
  const int column = (head - static_cast<int>(batch) * s.heads) * kSize;
  const std::int64_t corner = batch * s.length * pitch + column;
  const std::int64_t out_corner = batch * s.length * width + column;
  const __nv_bfloat16* const q_from = a.qkv.numbers + corner;

  static_assert(HeadCopies<kSize>::kBytes == BackwardLayout::kBarrierBytes);
  HeadCopies<kSize> copies(shared + at.barrier, s.length, at.rows);
  if constexpr (kWhole) {
    copies.start(static_cast<int>(batch), {{q_rows, a.qkv, column},
                                           {k_rows, a.qkv, column + width},
                                           {dout_rows, a.dout, column},
                                           {out_rows, a.out, column},
                                           {v_rows, a.qkv, column + 2 * width}});
  } else {
    load_rows<kSize>(q_rows, q_from, pitch, s.length, at.rows);
    load_rows<kSize>(dout_rows, a.dout.numbers + out_corner, width, s.length, at.rows);
    if (!at.out_stays)
      load_rows<kSize>(out_rows, a.out.numbers + out_corner, width, s.length, at.rows);
  }
  AttentionDropout dropout{};
  if constexpr (kDropout) dropout = s.dropout();
  const float kept_scale = kDropout ? dropout.scale() : 1.0f;
  const float scale = s.scale * kept_scale;
  const bool sums_wanted = attention_sums_bias(kSize) && a.sums != nullptr;
  float2 sums[3] = {};
  for (int part = 0; part < (kWhole ? 1 : s.length); part += kWhole ? 1 : at.part) {
    const int keys = min(s.length - part, at.part), used = round_up(keys, 16);
    const __nv_bfloat16* const k_from = q_from + width + part * pitch;
    if constexpr (!kWhole) {
      load_rows<kSize>(k_rows, k_from, pitch, keys, used);
      load_rows<kSize>(v_rows, k_from + width, pitch, keys, used);
    }
    if (part == 0)
      for (int i = threadIdx.x; i < at.rows; i += blockDim.x)
        lse[i] = i < s.length ? a.lse[static_cast<std::int64_t>(head) * s.length + i] * kLog2E
                              : INFINITY;  // no weight
    if constexpr (kWhole)
      copies.wait();
    else
      wait_for_copies();
    if (part == 0)
      sum_rows<kSize>(
          delta, dout_rows,
          [&](std::uint32_t(&tile)[kDepth][4], int row) {
            if (!kWhole && at.out_stays)
              load_tile_from<kSize>(tile, a.out.numbers + out_corner + row * width, width,
                                    s.length - row);
            else
              load_tile<kSize>(tile, out_rows + row * kRow);
          },
          1 / kept_scale, at.rows);
    if (s.norm) {
      if (part == 0) normalize_rows<kSize>(q_rows, at.rows, s.eps, q_factor);
      normalize_rows<kSize>(k_rows, used, s.eps, k_factor);
    }
    __syncthreads();
    const int mine = Kind::kWarpKeys * warp;
    Keys<Kind, kDropout> tile(s, k_rows + mine * kRow, v_rows + mine * kRow, part + mine,
                              keys - mine);
    __syncthreads();  // values are read: dS may take their place

    for (int chunk = 0; chunk < (kWhole ? 1 : at.rows); chunk += kWhole ? 1 : a.chunk) {
      const int chunk_end = kWhole ? at.rows : min(at.rows, chunk + a.chunk);
      const auto visit_all = [&]<int kUsed, bool kMask>() {
        // Causal: queries before the keys see none of them.
        const int start = s.causal ? max(chunk, part + mine) : chunk;
        for (int query = start; query < chunk_end; query += 16)
          tile.template visit<kUsed, kMask>(query, q_rows + query * kRow, dout_rows + query * kRow,
                                            lse + query, delta + 2 * query,
                                            ds_rows + mine * at.ds_stride + 2 * (query - chunk),
                                            at.ds_stride, dropout, head);
      };
      constexpr int kAll = Kind::kKeyTiles;
      if ((mine + 16 * kAll <= keys || (a.bounded && mine + 16 * (kAll - 1) < keys)) && !s.causal) {
        visit_all.template operator()<kAll, false>();
      } else if (mine + 16 * (kAll - 1) < keys) {
        visit_all.template operator()<kAll, true>();
      } else if (mine < keys) {
        visit_all.template operator()<1, true>();
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
            load_block_transposed(b, (k_rows + key * kRow + down_rows<kSize>(lane)) ^ 32 * d);
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
          if (part > 0) add_stored<kSize>(dq[t], to, pitch, s.length - row, 1 / scale);
          __syncwarp();  // all have read before any writes
          if (s.norm && (kWhole || part + at.part >= s.length)) {
            std::uint32_t q[kDepth][4];
            load_tile<kSize>(q, q_rows + row * kRow);
            norm_gradient<kSize>(dq[t], q, q_factor + row, scale);
          } else {
            scale_tile(dq[t], scale);
          }
          store_tile<kSize>(dq[t], to, pitch, s.length - row);
          if (sums_wanted && (kWhole || part + at.part >= s.length))
            add_to(sums[0], column_sums(dq[t], s.length - row));
        }
      }
      __syncthreads();  // dS is read, and after the last chunk so are the keys
    }
    if (mine < keys)
#pragma unroll
      for (int t = 0; t < Kind::kKeyTiles; ++t) {
        const int row = mine + 16 * t;
        if (row >= keys) continue;  // behind the last key there are neither keys nor factors
        __nv_bfloat16* const to = a.dqkv + corner + width + (part + row) * pitch;
        if (s.norm)
          norm_gradient<kSize>(tile.dk[t], tile.k[t], k_factor + row, scale);
        else
          scale_tile(tile.dk[t], scale);
        store_tile<kSize>(tile.dk[t], to, pitch, keys - row);
        scale_tile(tile.dv[t], kept_scale);
        store_tile<kSize>(tile.dv[t], to + width, pitch, keys - row);
        if (!sums_wanted) continue;
        add_to(sums[1], column_sums(tile.dk[t], keys - row));
        add_to(sums[2], column_sums(tile.dv[t], keys - row));
      }
    if (!kWhole && s.norm) __syncthreads();  // the next part's factors overwrite these
  }
  if (!sums_wanted) return;
  __syncthreads();  // nobody needs the queries any more
  store_sums<kSize>(reinterpret_cast<float*>(shared + at.q), sums,
                    a.sums + 3 * batch * width + column, width);
}

template <class Kind>
void launch(const AttentionBackward& b, const BackwardPlan& plan, cudaStream_t stream) {
  const auto layout = plan.layout(Kind{}, static_cast<int>(b.settings.length));
  constexpr bool kMayBeWhole = Kind::kTiles >= Kind::kKeyTiles;
  const bool whole = kMayBeWhole && !layout.out_stays && plan.chunk >= layout.rows;
  const Arguments<Kind::kSize> arguments{
      HeadSettings(b.settings),
      {b.qkv, b.settings, 3, whole},
      {b.out, b.settings, 1, whole},
      {b.dout, b.settings, 1, whole},
      b.lse,
      static_cast<__nv_bfloat16*>(b.dqkv),
      layout,
      plan.chunk,
      b.settings.norm && b.settings.scale * b.settings.size < kMostScore,
      b.dbias != nullptr ? b.workspace : nullptr};
  const auto kernel = [&] {
    if (arguments.settings.threshold > 0)
      return whole ? attention_backward_kernel<Kind, true, kMayBeWhole>
                   : attention_backward_kernel<Kind, true, false>;
    return whole ? attention_backward_kernel<Kind, false, kMayBeWhole>
                 : attention_backward_kernel<Kind, false, false>;
  }();
  launch_heads(kernel, b.settings, plan.warps, plan.bytes, stream, arguments);
  if (b.dbias != nullptr)
    launch_sum_parts(b.workspace, b.settings.batch, 3 * b.settings.heads * b.settings.size, b.dbias,
                     stream);
}

}  // namespace

int attention_backward_bytes(std::int64_t length, std::int64_t size) {
  return BackwardLayout(static_cast<int>(length), 12 * 16, 16, 2 * static_cast<int>(size)).bytes;
}

void launch_attention_backward(const AttentionBackward& b, cudaStream_t stream) {
  if (b.settings.batch * b.settings.heads * b.settings.length == 0) return;
  const int length = static_cast<int>(b.settings.length);
  const auto run = [&]<class Kind>(Kind kind) {
    launch<Kind>(b, BackwardPlan::best(kind, length), stream);
  };
  switch (b.settings.size) {
    case 16:
      return run(Kind<16, 2, 1>{});
    case 32: {
      // Two tiles of queries at a time are faster, where there is room for chunks that large.
      const auto one = BackwardPlan::best(Kind<32, 2, 1>{}, length);
      const auto two = BackwardPlan::best(Kind<32, 2, 2>{}, length);
      return two.worth * 1.04 > one.worth ? launch<Kind<32, 2, 2>>(b, two, stream)
                                          : launch<Kind<32, 2, 1>>(b, one, stream);
    }
    case 64:
      return run(Kind<64, 1, 1>{});
  }
}

}  // namespace mgdm::ops::cuda
