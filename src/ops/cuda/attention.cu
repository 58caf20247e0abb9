// Attention, forward: a block takes a head, its warps take tiles of its queries.
//
// q, k and v of the head are read once into shared memory. A warp keeps its queries in registers
// and walks over the keys, 32 at a time: scores = q k^T, weights = 2^(scores - reference), out +=
// weights v. The softmax is divided by its sum at the end, so any reference gives the same result,
// as long as the powers stay in the range of a float. Zero nearly always does: then no maximum is
// needed, which would be a fifth of the work. Where the sums come out too large or too small, the
// tile is done again with the maximum so far as the reference.
#include <algorithm>

#include "ops/cuda/attention_launch.cuh"
#include "ops/cuda/attention_queries.cuh"
#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {
namespace {

// Warps of a multiprocessor that registers shall suffice for.
template <int kSize, int kTiles, bool kDropout>
constexpr int kMaxWarps = (kSize > 32 || kTiles > 1) ? 16 : (kDropout ? 20 : 24);

struct Arguments {
  HeadSettings settings;
  const __nv_bfloat16* qkv;
  __nv_bfloat16* out;
  float* lse;
};

template <int kSize, int kTiles, bool kDropout>
__global__ void __launch_bounds__(32 * kMaxWarps<kSize, kTiles, kDropout>, 1)
    attention_kernel(const __grid_constant__ Arguments a) {
  extern __shared__ __align__(128) char shared[];
  constexpr int kRows = 16 * kTiles;
  const HeadSettings& s = a.settings;
  const int queries = round_up(s.length, kRows), keys = round_up(s.length, 16);
  char* const q_rows = shared;
  char* const k_rows = q_rows + queries * kPitch<kSize>;
  char* const v_rows = k_rows + keys * kPitch<kSize>;
  const std::uint32_t q = shared_address(q_rows), k = shared_address(k_rows),
                      v = shared_address(v_rows);

  const int width = s.heads * kSize;
  const std::int64_t batch = blockIdx.x / s.heads;
  const int column = (blockIdx.x - static_cast<int>(batch) * s.heads) * kSize;
  const __nv_bfloat16* const from = a.qkv + batch * s.length * 3 * width + column;
  load_rows<kSize>(q, from, 3 * width, s.length, queries);
  load_rows<kSize>(k, from + width, 3 * width, s.length, keys);
  load_rows<kSize>(v, from + 2 * width, 3 * width, s.length, keys);
  AttentionDropout dropout{};
  if constexpr (kDropout) dropout = s.dropout();
  wait_for_copies();
  if (s.norm) {
    normalize_rows<kSize>(q_rows, s.length, queries, s.eps, nullptr);
    normalize_rows<kSize>(k_rows, s.length, keys, s.eps, nullptr);
  }
  __syncthreads();

  __nv_bfloat16* const to = a.out + batch * s.length * width + column;
  float* const lse =
      a.lse == nullptr ? nullptr : a.lse + static_cast<std::int64_t>(blockIdx.x) * s.length;
  for (int first = threadIdx.x / 32 * kRows; first < s.length; first += blockDim.x / 32 * kRows) {
    Queries<kSize, kTiles, kDropout> tile(s, dropout, q, first);
    tile.template walk<false>(k, v, keys);
    if (!tile.in_range()) tile.template walk<true>(k, v, keys);
    tile.finish(to, lse);
  }
}

template <int kSize, int kTiles>
int shared_bytes(int length) {
  return (round_up(length, 16 * kTiles) + 2 * round_up(length, 16)) * kPitch<kSize>;
}

template <int kSize, int kTiles>
void launch(const AttentionForward& f, int warps, cudaStream_t stream) {
  const Arguments arguments{HeadSettings(f.settings), static_cast<const __nv_bfloat16*>(f.qkv),
                            static_cast<__nv_bfloat16*>(f.out), f.lse};
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
  // Small blocks, so that some load while others compute; larger ones where shared memory leaves
  // room for few of them.
  const int count = round_up(length, 16 * tiles) / (16 * tiles);
  const int wanted = tuning.warps > 0 ? tuning.warps : length <= 64 ? 2 : length <= 200 ? 4 : 8;
  const int warps = std::min({wanted, count, 16});
  switch (f.settings.size) {
    case 16:
      return launch<16, 1>(f, warps, stream);
    case 32:
      return tiles == 1 ? launch<32, 1>(f, warps, stream) : launch<32, 2>(f, warps, stream);
    case 64:
      return launch<64, 1>(f, warps, stream);
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
