// Attention, forward: a block takes a head, its warps take tiles of its queries.
//
// q, k and v of the head are read once into shared memory. A warp keeps its queries in registers
// and walks over the keys, 32 at a time: scores = q k^T, weights = 2^(scores - reference), out +=
// weights v. The softmax is divided by its sum at the end, so any reference gives the same result,
// as long as the powers stay in the range of a float. Zero nearly always does: then no maximum is
// needed, which would be a fifth of the work. Where the sums come out too large or too small, the
// tile is done again with the maximum so far as the reference.
#include <algorithm>

#include "ops/cuda/attention_copies.cuh"
#include "ops/cuda/attention_launch.cuh"
#include "ops/cuda/attention_queries.cuh"
#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {
namespace {

// Warps of a multiprocessor that registers shall suffice for.
template <int kSize, bool kDropout>
constexpr int kMaxWarps = kSize > 32 ? 16 : (kDropout ? 20 : 24);

template <int kSize>
struct Arguments {
  HeadSettings settings;
  HeadTensor<kSize> qkv;
  __nv_bfloat16* out;
  float* lse;
  const std::int64_t* places;
};

template <int kSize, bool kDropout, bool kLookedUp>
__global__ void __launch_bounds__(32 * kMaxWarps<kSize, kDropout>, 1)
    attention_kernel(const __grid_constant__ Arguments<kSize> a) {
  extern __shared__ __align__(1024) char shared[];
  const HeadSettings& s = a.settings;
  const int rows = round_up(s.length, 16);
  const std::uint32_t q = shared_address(shared), k = q + rows * kPitch<kSize>,
                      v = k + rows * kPitch<kSize>;

  const int width = s.heads * kSize;
  const std::int64_t batch = blockIdx.x / s.heads;
  const int column = (blockIdx.x - static_cast<int>(batch) * s.heads) * kSize;
  HeadCopies<kSize> copies(shared + 3 * rows * kPitch<kSize>, s.length, rows);
  if constexpr (kLookedUp) {
    const auto load = [&](std::uint32_t to, int part) {
      load_rows_at<kSize>(to, a.qkv.numbers + column + part * width, a.places + batch * s.length,
                          3 * width, s.length, rows);
    };
    load(q, 0);
    load(k, 1);
    load(v, 2);
  } else {
    copies.start(static_cast<int>(batch),
                 {{q, a.qkv, column}, {k, a.qkv, column + width}, {v, a.qkv, column + 2 * width}});
  }
  AttentionDropout dropout{};
  if constexpr (kDropout) dropout = s.dropout();
  if constexpr (kLookedUp)
    wait_for_copies();
  else
    copies.wait();
  if (s.norm) normalize_both<kSize>(q, k, rows, s.eps);
  __syncthreads();

  __nv_bfloat16* const to = a.out + batch * s.length * width + column;
  float* const lse =
      a.lse == nullptr ? nullptr : a.lse + static_cast<std::int64_t>(blockIdx.x) * s.length;
  for (int first = threadIdx.x / 32 * 16; first < s.length; first += blockDim.x / 32 * 16) {
    Queries<kSize, kDropout> tile(s, dropout, q, first);
    tile.template walk<false>(k, v, rows);
    if (!tile.in_range()) tile.template walk<true>(k, v, rows);
    tile.finish(to, lse);
  }
}

int shared_bytes(int length, int size) {
  return 3 * round_up(length, 16) * 2 * size + HeadCopies<64>::kBytes;
}

template <int kSize>
void launch(const AttentionForward& f, int warps, cudaStream_t stream) {
  const Arguments<kSize> arguments{HeadSettings(f.settings),
                                   {f.qkv, f.settings, 3, f.places == nullptr},
                                   static_cast<__nv_bfloat16*>(f.out),
                                   f.lse,
                                   f.places};
  const auto kernel = f.places != nullptr                ? attention_kernel<kSize, false, true>
                      : arguments.settings.threshold > 0 ? attention_kernel<kSize, true, false>
                                                         : attention_kernel<kSize, false, false>;
  launch_heads(kernel, f.settings, warps, shared_bytes(arguments.settings.length, kSize), stream,
               arguments);
}

}  // namespace

void launch_attention(const AttentionForward& f, cudaStream_t stream) {
  const int length = static_cast<int>(f.settings.length);
  if (f.settings.batch * f.settings.heads * length == 0) return;
  // Small blocks, so that some load while others compute; larger ones where shared memory leaves
  // room for few of them. All warps get as many tiles, or one less.
  const int tiles = round_up(length, 16) / 16, most = length <= 64 ? 2 : length <= 200 ? 4 : 8;
  const int turns = (tiles + most - 1) / most, warps = (tiles + turns - 1) / turns;
  switch (f.settings.size) {
    case 16:
      return launch<16>(f, warps, stream);
    case 32:
      return launch<32>(f, warps, stream);
    case 64:
      return launch<64>(f, warps, stream);
  }
}

bool attention_takes(std::int64_t length, std::int64_t size) {
  if (length > 512 || (size != 16 && size != 32 && size != 64)) return false;
  const int forward = shared_bytes(static_cast<int>(length), static_cast<int>(size));
  return std::max(forward, attention_backward_bytes(length, size)) <= shared_memory(1);
}

}  // namespace mgdm::ops::cuda
