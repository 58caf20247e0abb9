// A block decides about one row. First its logits come to shared memory, from device memory or as
// the head's product with hidden states; decoding_choice.cuh does the rest.
#include "ops/cuda/decoding_choice.cuh"
#include "ops/cuda/decoding_pass.h"
#include "ops/cuda/matrix_units.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = kChoiceThreads, kWarps = kChoiceWarps;

// The head goes over the positions a piece at a time, which is some tiles of 16. Where two pieces
// fit into shared memory, the states of one come while the other is multiplied.
__host__ __device__ constexpr int head_tiles(int width) { return width <= 1024 ? 2 : 1; }
// Bytes between them: 16 more than they take, so that eight neighbours lie in different banks.
__host__ __device__ constexpr int state_pitch(int width) { return 2 * (width + 8); }

// Bytes of a piece: of its states, and of the sums that take their place.
__host__ __device__ constexpr int head_piece_bytes(int vocabulary, int width) {
  const int columns = (vocabulary + 7) / 8 * 8;
  const int parts = columns <= 4 * kWarps ? kWarps * 8 * static_cast<int>(sizeof(float)) : 0;
  return 16 * head_tiles(width) * (state_pitch(width) > parts ? state_pitch(width) : parts);
}

// Logits (N, V) of hidden states (N, C). The head is split into three bf16 parts, which together
// are the fp32 number: products are exact, sums as in fp32.
//
// A warp makes 8 tokens of all positions of a piece; where there are more warps than that, the
// depth is split between them, and what they have is added up, in a fixed order.
class Head {
 public:
  __device__ Head(const DecodingPass& pass, std::int64_t begin, char* memory)
      : pass_(pass),
        begin_(begin),
        memory_(memory),
        across_((pass.vocabulary + 7) / 8),
        splits_(max(1, kWarps / across_)),
        positions_(16 * head_tiles(pass.width)) {}

  __device__ void apply(float* logits) const {
    const bool ahead = pass_.pieces > 1;
    start_states(0);
    for (int first = 0; first < pass_.length; first += positions_) {
      if (ahead) {
        start_states(first + positions_);
        finish_copies_but_last();
      } else {
        finish_copies();
      }
      __syncthreads();
      if (splits_ > 1)
        apply_split(logits, first);
      else
        for (int v = 8 * warp(); v < pass_.vocabulary; v += 8 * kWarps)
          multiply(states_of(first), v, 0).each([&](int n, int column, float sum) {
            const int position = first + n, token = v + column;
            if (n < positions_ && position < pass_.length && token < pass_.vocabulary)
              logits[position * pass_.vocabulary + token] = sum;
          });
      __syncthreads();  // the place of these states is free
      if (!ahead) start_states(first + positions_);
    }
  }

 private:
  static constexpr int kTiles = 2, kParts = 3;

  // Partial logits of 16 kTiles positions and 8 tokens, in the layout of the lanes, one for each
  // part of the head.
  struct Sums {
    float number[kTiles][kParts][4] = {};

    template <class Function>
    __device__ void each(Function&& f) const {
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float(&parts)[kParts][4] = number[tile];
          f(16 * tile + lane() / 4 + i / 2 * 8, lane() % 4 * 2 + i % 2,
            parts[0][i] + (parts[1][i] + parts[2][i]));
        }
    }
  };

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // Where the states of a piece are.
  __device__ char* states_of(int first) const {
    const int turn = first / positions_ % pass_.pieces;
    return memory_ + turn * head_piece_bytes(pass_.vocabulary, pass_.width);
  }

  __device__ void start_states(int first) const {
    if (first < pass_.length) copy_states(first, states_of(first));
    end_copies();
  }
  __device__ void copy_states(int first, char* states) const {
    for (int n = warp(); n < positions_; n += kWarps) {
      const int position = pass_.shift ? max(first + n - 1, 0) : first + n;
      std::int64_t place = begin_ + min(position, pass_.length - 1);
      if (pass_.places != nullptr) place = pass_.places[place];
      const bool there = place >= 0;
      const auto* const from =
          static_cast<const __nv_bfloat16*>(pass_.hidden) + (there ? place : 0) * pass_.width;
      char* const to = states + n * state_pitch(pass_.width);
      for (int piece = lane(); piece < pass_.width / 8; piece += 32)
        start_copy(to + 16 * piece, from + 8 * piece, there);
    }
  }

  // Tokens from v on; one of the splits' share of the depth.
  __device__ Sums multiply(const char* of, int v, int split) const {
    const int steps = pass_.width / 16, end = steps * (split + 1) / splits_;
    const int pitch = state_pitch(pass_.width);
    const unsigned states = shared_address(of) + lane() % 16 * pitch + lane() / 16 * 16;
    const int token = min(v + lane() / 4, pass_.vocabulary - 1);
    const float* const weights =
        pass_.head + static_cast<std::int64_t>(token) * pass_.width + lane() % 4 * 2;
    Sums sums;
#pragma unroll 2
    for (int step = steps * split / splits_; step < end; ++step) {
      float2 left = *reinterpret_cast<const float2*>(weights + 16 * step);
      float2 right = *reinterpret_cast<const float2*>(weights + 16 * step + 8);
      uint4 a[kTiles];
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile)  // with one tile the second is not used
        a[tile] = load_blocks(states + min(16 * tile, positions_ - 16) * pitch + 32 * step);
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const unsigned b0 = take_bf16(left), b1 = take_bf16(right);
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile)
          multiply_add(sums.number[tile][part], a[tile], b0, b1);
      }
    }
    return sums;
  }

  // By way of (splits, positions, 8 across) sums, which take the states' place.
  __device__ void apply_split(float* logits, int first) const {
    const int columns = 8 * across_, split = warp() / across_;
    const bool works = split < splits_;
    Sums sums;
    auto* const parts = reinterpret_cast<float*>(states_of(first));
    if (works) sums = multiply(states_of(first), warp() % across_ * 8, split);
    __syncthreads();
    if (works)
      sums.each([&](int n, int column, float sum) {
        if (n < positions_)
          parts[(split * positions_ + n) * columns + warp() % across_ * 8 + column] = sum;
      });
    __syncthreads();
    const int count = min(positions_, pass_.length - first) * pass_.vocabulary;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
      const int n = i / pass_.vocabulary, token = i % pass_.vocabulary;
      float sum = 0;
      for (int s = 0; s < splits_; ++s) sum += parts[(s * positions_ + n) * columns + token];
      logits[first * pass_.vocabulary + i] = sum;
    }
  }

  const DecodingPass& pass_;
  const std::int64_t begin_;
  char* const memory_;
  const int across_, splits_, positions_;
};

__global__ void __launch_bounds__(kThreads, 2) decoding_pass_kernel(const DecodingPass pass) {
  extern __shared__ __align__(16) char memory[];
  const int row = static_cast<int>(blockIdx.x);
  if (!pass.active[row]) return;
  const std::int64_t begin = static_cast<std::int64_t>(row) * pass.length;
  decide(pass, row, pass.first_draw[row], reinterpret_cast<float*>(memory), [&](float* logits) {
    if (pass.hidden != nullptr)
      Head(pass, begin, memory + pass.states_at).apply(logits);
    else
      for (int i = static_cast<int>(threadIdx.x); i < pass.length * pass.vocabulary; i += kThreads)
        logits[i] = pass.logits[begin * pass.vocabulary + i];
  });
}

}  // namespace

std::size_t decoding_pass_memory(std::int64_t length, std::int64_t vocabulary) {
  return static_cast<std::size_t>(length) *
         (sizeof(Position) + sizeof(float) * static_cast<std::size_t>(1 + vocabulary));
}

std::size_t decoding_head_memory(std::int64_t vocabulary, std::int64_t width) {
  return static_cast<std::size_t>(
      head_piece_bytes(static_cast<int>(vocabulary), static_cast<int>(width)));
}

cudaError_t launch_decoding_pass(const DecodingPass& some, cudaStream_t stream) {
  if (some.rows == 0) return cudaSuccess;
  DecodingPass arguments = some;
  std::size_t shared = decoding_pass_memory(arguments.length, arguments.vocabulary);
  if (arguments.hidden != nullptr) {
    shared = (shared + 15) / 16 * 16;
    arguments.states_at = static_cast<int>(shared);
    const std::size_t piece = decoding_head_memory(arguments.vocabulary, arguments.width);
    arguments.pieces = shared + 2 * piece <= kMostDecodingMemory ? 2 : 1;
    shared += static_cast<std::size_t>(arguments.pieces) * piece;
  }
  const cudaError_t error = cudaFuncSetAttribute(
      decoding_pass_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  if (error != cudaSuccess) return error;
  decoding_pass_kernel<<<static_cast<unsigned>(arguments.rows), kThreads, shared, stream>>>(
      arguments);
  return cudaGetLastError();
}

}  // namespace mgdm::ops::cuda
