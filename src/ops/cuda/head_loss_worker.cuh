// How the work is laid out.
//
// One block stays on each multiprocessor. It keeps the table W (V, C) in shared memory, and its sum
// of dW in registers, while tiles of 32 hidden states pass through. A tile is read once, its
// gradient takes its place in shared memory and is written once. Eight warps make a team, which has
// its own tiles; where shared memory allows, a block has two teams and a team two tiles, so that
// one is loaded while the other is worked on.
//
// A team does to a tile:
//   1. logits:  Z (32, V) = H W^T. A warp takes 16 rows and a quarter of C; the quarters are added
//   up
//      in step 2.
//   2. loss:    eight lanes take a row, and write dZ (32, V).
//   3. dW (V, C) += dZ^T H  and  dH (32, C) = dZ W. A warp takes C / 8 columns of both, so that it
//      may overwrite its columns of H without asking the others.
//
// Precision. H is bf16, W is not: as W_hi + W_lo, two bf16 numbers, it is kept to 2^-17 of itself,
// and Z = H W_hi^T + H W_lo^T is made of products that are exact in fp32. A bf16 W alone would err
// by 2^-8 of each product. dZ is split in the same way for dW, which is fp32; dH is rounded to bf16
// anyhow and is made of dZ_hi and W_hi.
//
// Rows that do not count. A block's rows are listed first, the counted ones from the front, the
// others from the back of the list; tiles are cut from the counted ones. The others cost writing
// zeros.
#pragma once

#include <cuda_bf16.h>

#include <type_traits>

#include "ops/cuda/head_loss.h"
#include "ops/cuda/matrix_units.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kMostTeams = 2;
constexpr int kTeamWarps = 8;
constexpr int kTeamThreads = 32 * kTeamWarps;
constexpr int kTileRows = 32;
constexpr int kListRows = 1536;  // rows a block lists at a time
constexpr int kQuarters = 4;     // of C, in step 1
constexpr int kMostShared = 227 * 1024;

// Where everything lies in shared memory. Rows are padded by 16 bytes: eight of them then lie in
// different banks.
template <int kColumns_, int kVocabulary_, int kTeams_, int kTiles_>
struct Layout {
  static constexpr int kColumns = kColumns_;        // C
  static constexpr int kVocabulary = kVocabulary_;  // V rounded up to 16, 32 or 64
  static constexpr int kTeams = kTeams_;
  static constexpr int kTiles = kTiles_;  // of a team
  static constexpr int kThreads = kTeams * kTeamThreads;

  static constexpr int kPitch = kColumns + 8;      // of H and W
  static constexpr int kZPitch = kVocabulary + 8;  // of Z and dZ

  __nv_bfloat16 table[2][kVocabulary * kPitch];  // W_hi, W_lo
  struct Team {
    __nv_bfloat16 tile[kTiles][kTileRows * kPitch];
    __nv_bfloat16 dz[2][kTileRows * kZPitch];       // dZ_hi, dZ_lo
    float quarter[kQuarters][kTileRows * kZPitch];  // Z, to be added up
  } team[kTeams];
  int list[kListRows];
  int counts[kListRows / 32];  // counted rows of each 32
  float losses[kThreads / 32];
};

// A hidden state's loop and its row there, as one number.
constexpr int kRowBits = 26;

struct State {
  int loop, row;
  __device__ explicit State(int packed)
      : loop(packed >> kRowBits), row(packed & ((1 << kRowBits) - 1)) {}
  static __device__ int pack(int loop, int row) { return loop << kRowBits | row; }
};

// The positions whose token is predicted by hidden state `row`; -1: none.
struct Readers {
  int first, second;
};

__device__ __forceinline__ Readers readers_of(int row, bool shift, int length) {
  if (!shift) return {row, -1};
  const int n = row % length;
  return {n + 1 < length ? row + 1 : -1, n == 0 ? row : -1};
}

// v L and its derivative by L, where `error` is 1 - exp(-L).
struct TokenLoss {
  float value, slope;
};

__device__ __forceinline__ TokenLoss token_loss(const HeadLoss& a, float l, float error) {
  if (!a.reweight) return {l, 1};
  const float below = a.beta == 1 ? 1.0f : powf(error, a.beta - 1);
  const float v = a.alpha * below * error;
  return {v * l, v + a.alpha * a.beta * below * l * (1 - error)};
}

// Over the eight lanes of a row.
__device__ __forceinline__ float row_sum(float value) {
#pragma unroll
  for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__device__ __forceinline__ float row_max(float value) {
#pragma unroll
  for (int offset = 4; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  return value;
}

// What a block's threads do, and the state they keep in registers.
template <class Shared>
class Worker {
 public:
  static constexpr int kColumns = Shared::kColumns, kVocabulary = Shared::kVocabulary;
  static constexpr int kPitch = Shared::kPitch, kZPitch = Shared::kZPitch;

  __device__ Worker(const HeadLoss& arguments, Shared& shared)
      : a_(arguments),
        shared_(shared),
        team_(shared.team[threadIdx.x / kTeamThreads]),
        team_number_(threadIdx.x / kTeamThreads),
        thread_(threadIdx.x % kTeamThreads),
        warp_(thread_ / 32),
        lane_(thread_ % 32),
        rows_(static_cast<int>(arguments.rows)),
        all_rows_(rows_ * arguments.loops),
        gradients_(arguments.dhidden[0] != nullptr),
        scale_(arguments.scale != nullptr ? *arguments.scale : 1.0f) {}

  __device__ void run() {
    split_table();
    // Blocks take turns in steps of 32 rows, so that each gets its share of the counted ones.
    const int steps = (all_rows_ + 31) / 32, block = static_cast<int>(blockIdx.x);
    const int blocks = static_cast<int>(gridDim.x);
    const int mine = 32 * ((steps - block + blocks - 1) / blocks);
    for (int first = 0; first < mine; first += kListRows) {
      __syncthreads();  // the table is there, the last list no longer read
      list_rows(first, min(mine - first, kListRows));
      work_on_list();
    }
    write_sums();
  }

 private:
  // W = W_hi + W_lo, and zeros below its last row. Four numbers a thread, all loads of a thread
  // before their use: this is what a block begins with, and nothing hides it.
  __device__ void split_table() {
    constexpr int kEnd = kVocabulary * kColumns, kStep = 4 * Shared::kThreads;
    const int end = static_cast<int>(a_.vocabulary) * kColumns;
    const auto load_all = [&](auto&& load) {
#pragma unroll 8
      for (int first = 0; first < kEnd; first += kStep) {
        const int at = first + 4 * static_cast<int>(threadIdx.x);
        if (kEnd % kStep != 0 && at >= kEnd) break;
        const float4 w = at < end ? load(at) : float4{};
        const uint2 high = {bf16_pair(w.x, w.y), bf16_pair(w.z, w.w)};
        const float2 kept0 = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(high.x));
        const float2 kept1 = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(high.y));
        const int to = at / kColumns * kPitch + at % kColumns;
        *reinterpret_cast<uint2*>(shared_.table[0] + to) = high;
        *reinterpret_cast<uint2*>(shared_.table[1] + to) = {
            bf16_pair(w.x - kept0.x, w.y - kept0.y), bf16_pair(w.z - kept1.x, w.w - kept1.y)};
      }
    };
    if (a_.table_is_bf16) {
      load_all([&](int at) {
        const auto* table = static_cast<const __nv_bfloat162*>(a_.table) + at / 2;
        const float2 low = __bfloat1622float2(table[0]), high = __bfloat1622float2(table[1]);
        return float4{low.x, low.y, high.x, high.y};
      });
    } else {
      load_all([&](int at) {
        return *reinterpret_cast<const float4*>(static_cast<const float*>(a_.table) + at);
      });
    }
  }

  // Row `i` of this block's rows; loop r's hidden state n is row r * rows + n.
  __device__ int row_at(int i) const {
    return (i / 32 * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)) * 32 + i % 32;
  }

  __device__ float weight_of(int position) const {
    return position < 0 ? 0.0f : a_.weight[position];
  }

  // Fills the list with rows first .. first + count - 1 of this block.
  __device__ void list_rows(int first, int count) {
    constexpr int kRounds = kListRows / Shared::kThreads, kWarps = Shared::kThreads / 32;
    const int warp = threadIdx.x / 32;
    unsigned votes[kRounds];  // which of the warp's 32 rows count
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int i = round * Shared::kThreads + static_cast<int>(threadIdx.x);
      const int row = row_at(first + i);
      bool counts = false;
      if (i < count && row < all_rows_) {
        const int loop = row / rows_;
        const Readers readers = readers_of(row % rows_, a_.shift, static_cast<int>(a_.length));
        for (const int position : {readers.first, readers.second}) {
          const bool counted = weight_of(position) != 0;
          counts |= counted;
          if (a_.cross_entropy != nullptr && position >= 0 && !counted)
            a_.cross_entropy[static_cast<std::int64_t>(loop) * rows_ + position] = 0;
        }
      }
      votes[round] = __ballot_sync(~0u, counts);
      if (lane_ == 0) shared_.counts[round * kWarps + warp] = __popc(votes[round]);
    }
    __syncthreads();
    counted_ = 0;
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      int before = 0;  // counted rows before this warp's
      for (int other = 0; other < kWarps; ++other) {
        if (other == warp) before = counted_;
        counted_ += shared_.counts[round * kWarps + other];
      }
      before += __popc(votes[round] & ((1u << lane_) - 1));
      const int i = round * Shared::kThreads + static_cast<int>(threadIdx.x);
      const int row = row_at(first + i);
      if (i >= count || row >= all_rows_) continue;
      const int state = State::pack(row / rows_, row % rows_);
      // Row i has i listed ones before it, as only the last ones can be missing.
      if (votes[round] >> lane_ & 1)
        shared_.list[before] = state;
      else
        shared_.list[kListRows - 1 - (i - before)] = state;
    }
    // How many of the `count` rows exist: all but those of the last, cut step.
    const int last = row_at(first + count - 1);
    listed_ = count - max(0, last + 1 - all_rows_);
    __syncthreads();
  }

  __device__ void work_on_list() {
    const int tiles = (counted_ + kTileRows - 1) / kTileRows;
    const int zeros = listed_ - counted_, shares = max(tiles, 1);
    int buffer = 0;
    load(team_number_, buffer);
    for (int tile = team_number_; tile < shares; tile += Shared::kTeams) {
      if (tile < tiles) {
        finish_copies();
        sync_team();  // the tile is there; the other one has been written out
        if constexpr (Shared::kTiles > 1) load(tile + Shared::kTeams, buffer ^ 1);
        const __nv_bfloat16* h = team_.tile[buffer];
        const Tokens tokens = tokens_of(tile);  // on the way while the logits are made
        logits(h);
        sync_team();
        loss(tile, tokens);
        sync_team();
        if (gradients_) {
          add_table_gradient(h);
          __syncwarp();
          hidden_gradient(team_.tile[buffer]);
          sync_team();
          write_gradient(tile, team_.tile[buffer]);
        }
        if constexpr (Shared::kTiles > 1) {
          buffer ^= 1;
        } else {
          sync_team();
          load(tile + Shared::kTeams, buffer);
        }
      }
      // Zeros go out in equal shares beside the tiles.
      if (gradients_)
        write_zeros(static_cast<int>(static_cast<std::int64_t>(zeros) * tile / shares),
                    static_cast<int>(static_cast<std::int64_t>(zeros) * (tile + 1) / shares));
    }
  }

  // Eight threads load, judge and store one row of the tile.
  __device__ int my_row() const { return thread_ / 8; }
  __device__ bool in_tile(int tile) const { return tile * kTileRows + my_row() < counted_; }
  __device__ State state_of(int tile) const {
    return State(in_tile(tile) ? shared_.list[tile * kTileRows + my_row()] : 0);
  }

  // Starts loading a tile, if there is one; rows it does not have become zeros.
  __device__ void load(int tile, int buffer) {
    if (tile * kTileRows >= counted_) return;
    const State state = state_of(tile);
    const int part = 8 * (thread_ % 8);
    const __nv_bfloat16* from = static_cast<const __nv_bfloat16*>(a_.hidden[state.loop]) +
                                static_cast<std::int64_t>(state.row) * kColumns + part;
    __nv_bfloat16* to = team_.tile[buffer] + my_row() * kPitch + part;
#pragma unroll
    for (int c = 0; c < kColumns; c += 64) start_copy(to + c, from + c, in_tile(tile));
  }

  // Z = H (W_hi + W_lo)^T, over a quarter of the columns for 16 of the rows.
  __device__ void logits(const __nv_bfloat16* h) {
    const int quarter = warp_ % kQuarters, top = 16 * (warp_ / kQuarters);
    const int column = quarter * (kColumns / kQuarters);
    float z[2][kVocabulary / 8][4] = {};  // with W_hi, with W_lo
    const unsigned a_row =
        shared_address(h + (top + lane_ % 16) * kPitch + column + 8 * (lane_ / 16));
    const unsigned b_row = shared_address(
        shared_.table[0] + (8 * (lane_ / 16) + lane_ % 8) * kPitch + column + 8 * (lane_ / 8 % 2));
#pragma unroll
    for (int k = 0; k < kColumns / kQuarters; k += 16) {
      const uint4 a = load_blocks(a_row + 2 * k);
#pragma unroll
      for (int part = 0; part < 2; ++part)
#pragma unroll
        for (int v = 0; v < kVocabulary; v += 16) {
          const uint4 b =
              load_blocks(b_row + part * sizeof(shared_.table[0]) + 2 * (v * kPitch + k));
          multiply_add(z[part][v / 8], a, b.x, b.y);
          multiply_add(z[part][v / 8 + 1], a, b.z, b.w);
        }
    }
    float* out = team_.quarter[quarter] + (top + lane_ / 4) * kZPitch + 2 * (lane_ % 4);
#pragma unroll
    for (int i = 0; i < kVocabulary / 8; ++i) {
      const float(&high)[4] = z[0][i], (&low)[4] = z[1][i];
      *reinterpret_cast<float2*>(out + 8 * i) = {high[0] + low[0], high[1] + low[1]};
      *reinterpret_cast<float2*>(out + 8 * kZPitch + 8 * i) = {high[2] + low[2], high[3] + low[3]};
    }
  }

  // What a row of the tile is to predict: up to two tokens, of weight 0 where there is none.
  struct Tokens {
    Readers position;
    int target[2];
    float weight[2];
  };

  __device__ Tokens tokens_of(int tile) const {
    Tokens tokens{{-1, -1}, {}, {}};
    if (!in_tile(tile)) return tokens;
    tokens.position = readers_of(state_of(tile).row, a_.shift, static_cast<int>(a_.length));
    const int position[2] = {tokens.position.first, tokens.position.second};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (position[i] < 0) continue;
      tokens.weight[i] = a_.weight[position[i]];
      tokens.target[i] =
          a_.targets_are_long
              ? static_cast<int>(static_cast<const std::int64_t*>(a_.targets)[position[i]])
              : static_cast<const int*>(a_.targets)[position[i]];
    }
    return tokens;
  }

  // The loss of a row, and its dZ. A lane has kVocabulary / 8 neighbouring logits of it.
  __device__ void loss(int tile, const Tokens& tokens) {
    constexpr int kMine = kVocabulary / 8;
    const int first = kMine * (thread_ % 8), vocabulary = static_cast<int>(a_.vocabulary);
    const int loop = state_of(tile).loop;
    float z[kMine] = {};
#pragma unroll
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      constexpr int kWide = kMine < 4 ? 2 : 4;  // numbers read at once
      using Wide = std::conditional_t < kMine<4, float2, float4>;
      const float* from = team_.quarter[quarter] + my_row() * kZPitch + first;
#pragma unroll
      for (int i = 0; i < kMine; i += kWide) {
        const Wide wide = *reinterpret_cast<const Wide*>(from + i);
        z[i] += wide.x;
        z[i + 1] += wide.y;
        if constexpr (kWide == 4) {
          z[i + 2] += wide.z;
          z[i + 3] += wide.w;
        }
      }
    }
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < kMine; ++i)
      if (first + i < vocabulary) most = fmaxf(most, z[i]);
    most = row_max(most);
    float e[kMine], dz[kMine], sum_z = 0;
#pragma unroll
    for (int i = 0; i < kMine; ++i) {
      const bool inside = first + i < vocabulary;
      e[i] = inside ? __expf(z[i] - most) : 0.0f;
      sum_z += inside ? z[i] : 0.0f;
      dz[i] = 0;
    }
    if (a_.smoothing > 0) sum_z = row_sum(sum_z);

    // All lanes of the warp go the same way: they add up together.
    const bool two = a_.shift && __any_sync(~0u, tokens.weight[1] != 0);
#pragma unroll
    for (int reader = 0; reader < 2; ++reader) {
      if (reader == 1 && !two) break;
      const float weight = tokens.weight[reader];
      const int target = tokens.target[reader];
      float others = 0, z_target = 0;  // sum of e over all but the target
#pragma unroll
      for (int i = 0; i < kMine; ++i) {
        others += first + i == target ? 0.0f : e[i];
        z_target += first + i == target ? z[i] : 0.0f;
      }
      others = row_sum(others);
      z_target = row_sum(z_target);
      const float e_target = __expf(z_target - most), total = others + e_target;
      const float inverse = 1 / total;
      // logsumexp(z) = most + log(1 + x), where x is the sum of e without the largest: exact also
      // for a confident network, where CE is about 0.
      const float x = z_target == most ? others : total - 1;
      float l = log1pf(x) + (most - z_target), error = others * inverse;  // CE and 1 - p
      if (a_.smoothing > 0) {
        l += a_.smoothing * (z_target - sum_z / vocabulary);
        error = -expm1f(-l);
      }
      if (weight == 0) continue;
      const TokenLoss token = token_loss(a_, l, error);
      const float counted = a_.factor[loop] * weight;
      if (thread_ % 8 == 0) {
        loss_ += counted * token.value;
        if (a_.cross_entropy != nullptr)
          a_.cross_entropy[static_cast<std::int64_t>(loop) * rows_ +
                           (reader == 0 ? tokens.position.first : tokens.position.second)] = l;
      }
      const float by = scale_ * counted * token.slope, spread = a_.smoothing / vocabulary;
#pragma unroll
      for (int i = 0; i < kMine; ++i) {
        // p - 1 of the target is -others / total, without the difference.
        const float p = first + i == target ? a_.smoothing - others * inverse : e[i] * inverse;
        if (first + i < vocabulary) dz[i] += by * (p - spread);
      }
    }
#pragma unroll
    for (int i = 0; i < kMine; i += 2) {
      const unsigned high = bf16_pair(dz[i], dz[i + 1]);
      const float2 kept = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(high));
      const unsigned low = bf16_pair(dz[i] - kept.x, dz[i + 1] - kept.y);
      const int at = my_row() * kZPitch + first + i;
      *reinterpret_cast<unsigned*>(team_.dz[0] + at) = high;
      *reinterpret_cast<unsigned*>(team_.dz[1] + at) = low;
    }
  }

  // dW += dZ^T H for this warp's columns.
  __device__ void add_table_gradient(const __nv_bfloat16* h) {
    uint4 a[kVocabulary / 16][2][2];  // dZ^T: 16 tokens, 16 rows, high and low
    const unsigned a_row = shared_address(team_.dz[0] + (8 * (lane_ / 16) + lane_ % 8) * kZPitch +
                                          8 * (lane_ / 8 % 2));
#pragma unroll
    for (int v = 0; v < kVocabulary / 16; ++v)
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int part = 0; part < 2; ++part)
          a[v][k][part] = load_blocks<true>(a_row + part * sizeof(team_.dz[0]) +
                                            2 * (16 * k * kZPitch + 16 * v));
    const unsigned b_row = shared_address(h + lane_ * kPitch + warp_ * (kColumns / 8));
#pragma unroll
    for (int n = 0; n < kColumns / 64; ++n) {
      const uint4 b = load_blocks<true>(b_row + 16 * n);  // 32 rows, 8 columns
#pragma unroll
      for (int part = 0; part < 2; ++part)
#pragma unroll
        for (int v = 0; v < kVocabulary / 16; ++v)
          multiply_add(dtable_[v][n], a[v][0][part], b.x, b.y);
#pragma unroll
      for (int part = 0; part < 2; ++part)
#pragma unroll
        for (int v = 0; v < kVocabulary / 16; ++v)
          multiply_add(dtable_[v][n], a[v][1][part], b.z, b.w);
    }
  }

  // dH = dZ W for this warp's columns, in the place of H.
  __device__ void hidden_gradient(__nv_bfloat16* tile) {
    uint4 a[2][kVocabulary / 16];  // dZ: 16 rows, 16 tokens
    const unsigned a_row = shared_address(team_.dz[0] + lane_ % 16 * kZPitch + 8 * (lane_ / 16));
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int v = 0; v < kVocabulary / 16; ++v)
        a[m][v] = load_blocks(a_row + 2 * (16 * m * kZPitch + 16 * v));
    const int column = warp_ * (kColumns / 8);
    const unsigned b_row = shared_address(shared_.table[0] + lane_ % kVocabulary * kPitch + column);
    __nv_bfloat16* out = tile + lane_ / 4 * kPitch + column + 2 * (lane_ % 4);
#pragma unroll
    for (int n = 0; n < kColumns / 64; ++n) {
      unsigned b[kVocabulary / 8];  // W: all tokens, 8 columns
      if constexpr (kVocabulary == 16) {
        const uint2 two = load_two_blocks_transposed(b_row + 16 * n);
        b[0] = two.x;
        b[1] = two.y;
      } else {
#pragma unroll
        for (int v = 0; v < kVocabulary / 32; ++v) {
          const uint4 four = load_blocks<true>(b_row + 2 * 32 * v * kPitch + 16 * n);
          b[4 * v] = four.x;
          b[4 * v + 1] = four.y;
          b[4 * v + 2] = four.z;
          b[4 * v + 3] = four.w;
        }
      }
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        float d[4] = {};
#pragma unroll
        for (int v = 0; v < kVocabulary / 16; ++v) multiply_add(d, a[m][v], b[2 * v], b[2 * v + 1]);
        __nv_bfloat16* to = out + 16 * m * kPitch + 8 * n;
        *reinterpret_cast<unsigned*>(to) = bf16_pair(d[0], d[1]);
        *reinterpret_cast<unsigned*>(to + 8 * kPitch) = bf16_pair(d[2], d[3]);
      }
    }
  }

  __device__ __nv_bfloat16* gradient_of(State state) const {
    return static_cast<__nv_bfloat16*>(a_.dhidden[state.loop]) +
           static_cast<std::int64_t>(state.row) * kColumns + 8 * (thread_ % 8);
  }

  __device__ void write_gradient(int tile, const __nv_bfloat16* dh) {
    if (!in_tile(tile)) return;
    __nv_bfloat16* to = gradient_of(state_of(tile));
    const __nv_bfloat16* from = dh + my_row() * kPitch + 8 * (thread_ % 8);
#pragma unroll
    for (int c = 0; c < kColumns; c += 64)
      *reinterpret_cast<uint4*>(to + c) = *reinterpret_cast<const uint4*>(from + c);
  }

  // The gradients of uncounted rows first .. end - 1.
  __device__ void write_zeros(int first, int end) {
    for (int i = first + my_row(); i < end; i += kTeamThreads / 8) {
      __nv_bfloat16* to = gradient_of(State(shared_.list[kListRows - 1 - i]));
#pragma unroll
      for (int c = 0; c < kColumns; c += 64) *reinterpret_cast<uint4*>(to + c) = uint4{};
    }
  }

  // The team's dW and the block's loss, for launch_sum_parts.
  __device__ void write_sums() {
    if (gradients_) {
      const std::int64_t part =
          static_cast<std::int64_t>(blockIdx.x) * Shared::kTeams + team_number_;
      float* out = a_.workspace + gridDim.x + part * a_.vocabulary * kColumns;
      const int column = warp_ * (kColumns / 8) + 2 * (lane_ % 4);
#pragma unroll
      for (int v = 0; v < kVocabulary / 16; ++v)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int token = 16 * v + 8 * half + lane_ / 4;
          if (token >= a_.vocabulary) continue;
#pragma unroll
          for (int n = 0; n < kColumns / 64; ++n)
            *reinterpret_cast<float2*>(out + token * kColumns + column + 8 * n) = {
                dtable_[v][n][2 * half], dtable_[v][n][2 * half + 1]};
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) loss_ += __shfl_xor_sync(~0u, loss_, offset);
    if (lane_ == 0) shared_.losses[threadIdx.x / 32] = loss_;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < Shared::kThreads / 32; ++warp) loss_ += shared_.losses[warp];
    a_.workspace[blockIdx.x] = loss_;
  }

  // A barrier for the team alone; 0 is that of __syncthreads.
  __device__ void sync_team() const {
    asm volatile("bar.sync %0, %1;" ::"r"(team_number_ + 1), "n"(kTeamThreads) : "memory");
  }

  const HeadLoss& a_;
  Shared& shared_;
  typename Shared::Team& team_;
  const int team_number_, thread_, warp_, lane_;  // thread and warp within the team
  const int rows_, all_rows_;
  const bool gradients_;
  const float scale_;
  int counted_ = 0, listed_ = 0;  // rows in the list
  float loss_ = 0;
  float dtable_[kVocabulary / 16][kColumns / 64][4] = {};
};

}  // namespace
}  // namespace mgdm::ops::cuda
