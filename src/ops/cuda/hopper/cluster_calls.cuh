// Parts of a pass that a block of a cluster calls. They are not inlined: otherwise the compiler
// works out what they have in common with the rest once for all, and runs out of registers.
#pragma once

#include "ops/cuda/attention_queries.cuh"
#include "ops/cuda/hopper/cluster_memory.cuh"
#include "ops/cuda/hopper/cluster_numbers.cuh"

namespace mgdm::ops::cuda::clusters {

// A head's rows in shared memory.
struct HeadPlaces {
  char *q, *k, *v;
};
// The part of a row of `length` positions that a block works on: `valid` queries from `first` on,
// and all keys and values.
struct HeadPositions {
  int first, valid, length;
};

// Takes the rows of a head of a single row as they are told: `from` is where the head's columns of
// the queries (N, 3C) begin, the keys are C columns after them, then come the values.
template <int kSize>
__device__ __noinline__ void take_told(HeadPlaces to, const WordOfTurn* from, int width,
                                       HeadPositions of, unsigned turn) {
  // Neighbouring threads have neighbouring pieces of 8 numbers, all threads many rows at once.
  constexpr int kPieces = kSize / 8;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int piece = thread % kPieces;
  const auto piece_at = [&](int part, int position, bool is_one) {
    const int at = (position * 3 + part) * width + 8 * piece;
    return ToldPiece(is_one ? from + at / 2 : nullptr);
  };
  for (int row = thread / kPieces; row < round_up(of.length, 16); row += threads / kPieces) {
    // All are on their way before the first is waited for.
    ToldPiece q = piece_at(0, of.first + row, row < of.valid),
              k = piece_at(1, row, row < of.length), v = piece_at(2, row, row < of.length);
    const auto store = [&](char* rows, ToldPiece& told) {
      *reinterpret_cast<uint4*>(rows + place<kSize>(row, piece)) = told.await(turn);
    };
    if (row < kRows) store(to.q, q);
    store(to.k, k);
    store(to.v, v);
  }
}

// 16 queries of a head from `first` on, whose rows are in shared memory, by one warp; what it makes
// goes to rows in the order of attention_rows.cuh.
template <int kSize>
__device__ __noinline__ void attend_tile(const HeadSettings& settings, std::uint32_t q,
                                         std::uint32_t k, std::uint32_t v, int first, char* to) {
  const AttentionDropout none{};
  const int lane = static_cast<int>(threadIdx.x) % 32, padded = round_up(settings.length, 16);
  Queries<kSize, false> tile(settings, none, q - first * kPitch<kSize>, first);
  tile.template walk<false>(k, v, padded);
  if (!tile.in_range()) tile.template walk<true>(k, v, padded);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float factor = __fdividef(1.0f, tile.sum[half]);
#pragma unroll
    for (int n = 0; n < kSize / 8; ++n)
      *reinterpret_cast<std::uint32_t*>(to + place<kSize>(lane / 4 + 8 * half, n) + lane % 4 * 4) =
          pack(tile.out[n][2 * half] * factor, tile.out[n][2 * half + 1] * factor);
  }
}

// Where logits (N, V) are in device memory.
struct Said {
  const float* logits;         // of a row, once all have met
  const WordOfTurn* of_turns;  // null: read those. Of a single row, when they are there
  unsigned turn;
};

// Decides about a row.
__device__ inline __noinline__ void choose_row(const DecodingPass& pass, int row,
                                               std::int64_t first_draw, Said said, float* memory) {
  decide(pass, row, first_draw, memory, [&](float* logits) {
    if (said.of_turns == nullptr)
      copy_logits(logits, said.logits, pass);
    else
      copy_logits(
          logits, pass, [&](int i) { return seen_at(said.of_turns + i); },
          [&](int i, WordOfTurn seen) {
            return __uint_as_float(await_bits(said.of_turns + i, seen, said.turn));
          });
  });
  __syncthreads();
}

// What the row's pass adds to scores, to (N).
__device__ inline __noinline__ void draw_noise(const DecodingPass& pass, int row,
                                               std::int64_t first_draw, float* to) {
  const int step = static_cast<int>(pass.passes[row]);
  const RowDraws draws = draws_of(pass, row, first_draw, step);
  for (int n = static_cast<int>(threadIdx.x); n < pass.length; n += kThreads)
    to[n] = noise_at(n, pass.rule, draws, static_cast<int>(pass.rule.steps) - 1 - step);
}

}  // namespace mgdm::ops::cuda::clusters
