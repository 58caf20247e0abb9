// What a block of a cluster does in a pass.
#pragma once

#include "ops/cuda/activations.cuh"
#include "ops/cuda/hopper/cluster_calls.cuh"
#include "ops/cuda/hopper/cluster_product.cuh"
#include "ops/cuda/hopper/cluster_weights.cuh"
#include "ops/cuda/hopper/grid_barrier.cuh"

namespace mgdm::ops::cuda::clusters {

template <int kUnits, int kSize>
class Block {
  using Layout = clusters::Layout<kUnits>;
  using Known = typename Layout::Known;
  static constexpr int kWidth = Layout::kWidth, kOwn = Layout::kOwn;
  static constexpr int kRowPitch = Layout::kPitch;

 public:
  __device__ Block(const Arguments& arguments, char* shared)
      : g_(arguments),
        a_(arguments.answer),
        rank_(cluster_rank()),
        row_(static_cast<int>(blockIdx.x) / kRanks / arguments.tiles),
        first_(static_cast<int>(blockIdx.x) / kRanks % arguments.tiles * kRows),
        valid_(min(kRows, a_.shape.length - first_)),
        single_(is_single(a_)),
        known_(*reinterpret_cast<Known*>(shared)),
        tokens_(reinterpret_cast<std::int64_t*>(shared + Layout::kKnownBytes)),
        noise_(reinterpret_cast<float*>(tokens_ + 2 * a_.shape.length)),
        frozen_(reinterpret_cast<bool*>(noise_ + a_.shape.length)),
        out_(shared + Layout::kKnownBytes + Layout::state_bytes(a_.shape.length)),
        stream_(reinterpret_cast<float*>(out_ + Layout::kOutBytes)),
        sums_(reinterpret_cast<float4*>(reinterpret_cast<char*>(stream_) + Layout::kStreamBytes)),
        normed_(reinterpret_cast<char*>(sums_) + Layout::kSumsBytes),
        hidden_(normed_ + Layout::kRowsBytes),
        weights_(arguments, known_.full,
                 shared_address(hidden_ + arguments.expansion * Layout::kRowsBytes), rank_),
        barrier_(arguments.buffers.counter) {}

  __device__ void begin() {
    if (thread() == 0)
      for (Barrier& each : known_.there) each.init(1);
    weights_.begin();
    begin_row();
    split_head();
    forget_words();
    fence_copies();  // the barriers and the head's parts, for what is copied by them and of them
    __syncthreads();
    weights_.refill();
  }

  // Whether there was anything to do.
  __device__ bool pass() {
    if (a_.shape.rows == 1 && !known_.active) return false;
    for (int loop = 0; loop < a_.loops; ++loop)
      for (int layer = 0; layer < a_.shape.layers; ++layer) {
        const AnswerLayer& l = a_.layer[layer];
        const bool starts = layer == 0, starts_pass = starts && loop == 0;
        {
          const Affine affine(l.norm_attention);
          if (!starts_pass) await(kBrought);
          normalize(affine, starts, loop);
        }
        // Once other blocks know of queries, keys and values, copies from them may replace what
        // this block wrote by itself, a norm or a choice: without a fence such writes and copies
        // have no order.
        fence_async();
        ++meeting_;
        make_qkv(l);
        meet(/*all=*/!single_ || starts_pass);
        if (starts_pass && a_.shape.rows > 1 && !any_active()) return false;
        attend();
        await(kMixed);
        add_to_stream(kProjected, HeadRows<kSize>{shared_address(hidden_)}, 1, l.projection_bias);
        {
          const Affine affine(l.norm_mlp);
          // Drawn here, while others still send, so that the choice need not do it.
          if (starts_pass && adds_noise(known_.pass.rule))
            draw_noise(known_.pass, row_, a_.first_draw, noise_);
          await(kProjected);
          normalize(affine, false, 0);
        }
        make_hidden(l);
        await(kHidden);
        add_to_stream(kBrought, SentRows<kUnits>{shared_address(hidden_), sent_bytes()},
                      g_.expansion, l.down_bias);
        turn_ ^= 1;
      }
    {
      const Affine affine(a_.final_norm);
      await(kBrought);
      normalize(affine, false, 0);
    }
    make_logits();
    meet(/*all=*/!single_);
    choose();
    return true;
  }

  __device__ void end() {
    if (leads()) {
      const std::int64_t begin = static_cast<std::int64_t>(row_) * a_.shape.length;
      for (int n = thread(); n < a_.shape.length; n += kThreads)
        a_.pass.tokens[begin + n] = tokens_[n];
      if (thread() == 0) a_.pass.passes[row_] = known_.passes;
    }
    barrier_.leave();
    weights_.end();
    meet_cluster();  // nobody writes into the memory of a block that is gone
  }

 private:
  static __device__ int thread() { return thread_again(); }
  static __device__ int lane() { return thread() % 32; }
  static __device__ int warp() { return thread() / 32; }
  // A thread's part of a tile (mma.cuh): these columns of these rows.
  static __device__ int part_row(int half) { return lane() / 4 + 8 * half; }
  static __device__ int part_column(int unit) { return 8 * unit + lane() % 4 * 2; }

  // One block of the row speaks for it.
  __device__ bool leads() const { return rank_ == 0 && first_ == 0; }
  __device__ std::int64_t place(int row) const {
    return static_cast<std::int64_t>(row_) * a_.shape.length + first_ + row;
  }

  // Waits for what the other blocks send. The barriers turn once in a layer; that of its end is
  // awaited in the next one.
  __device__ void await(Exchange which) {
    wait_for(known_.there[which], which == kBrought ? turn_ ^ 1 : turn_);
  }

  __device__ void begin_row() {
    const int length = a_.shape.length;
    const std::int64_t begin = static_cast<std::int64_t>(row_) * length;
    bool any = false;
    for (int n = thread(); n < length; n += kThreads) {
      const bool frozen = a_.pass.frozen[begin + n];
      any = any || !frozen;
      tokens_[n] = frozen ? a_.given[begin + n] : a_.pass.rule.mask_token;
      frozen_[n] = frozen;
    }
    any = __syncthreads_or(any);
    if (thread() != 0) return;
    known_.passes = 0;
    known_.active = any;
    known_.pass = a_.pass;
    known_.heads = g_.heads;
    known_.pass.tokens = tokens_ - begin;
    known_.pass.previous = tokens_ + length - begin;
    known_.pass.frozen = frozen_ - begin;
    known_.pass.noise = noise_ - begin;
    known_.pass.passes = &known_.passes - row_;
    known_.pass.active = &known_.active - row_;
    if (leads()) g_.buffers.active[row_] = any;
  }

  // The head's parts, which all blocks make together. They are read after a barrier.
  __device__ void split_head() const {
    constexpr int kPairs = kWidth / 2;
    const int tokens = round_up(a_.shape.vocabulary, kHeadTokens);
    for (int i = static_cast<int>(blockIdx.x) * kThreads + thread(); i < tokens * kPairs;
         i += static_cast<int>(gridDim.x) * kThreads) {
      const int token = i / kPairs, column = i % kPairs * 2;
      float2 left{};
      if (token < a_.shape.vocabulary)
        left = *reinterpret_cast<const float2*>(a_.head + token * kWidth + column);
      const int row = token / kHeadTokens * kHeadRows + token % kHeadTokens;
#pragma unroll
      for (int part = 0; part < kHeadParts; ++part)
        *reinterpret_cast<unsigned*>(g_.buffers.head + (row + part * kHeadTokens) * kWidth +
                                     column) = take_bf16(left);
    }
  }

  // A single row's queries, keys, values and logits come as words of their turn, and its blocks
  // wait for those instead of for all blocks. What keeps words from being replaced while others
  // still wait for them is that work depends on work: a block has keys of a layer from every
  // cluster, or is sent what another of its cluster made of them, so all are through with the layer
  // before, and places for two layers are enough. Who has the logits of a pass knows that all
  // clusters are through with its layers, and no cluster has the next ones without keys that all
  // made after they had these. A cluster whose only logits are those that a shift leaves out would
  // not be known of.
  static __device__ bool is_single(const Answer& a) {
    return a.shape.rows == 1 && !(a.pass.shift && a.shape.length % kRows == 1);
  }
  __device__ unsigned logits_turn() const { return static_cast<unsigned>(known_.passes) + 1; }

  // Forgets the words of the last launch. Each thread clears the words that it will write itself,
  // and any of the logits', since all threads meet before the first pass writes logits.
  __device__ void forget_words() const {
    if (!single_) return;
    for (int i = 0; i < 4; ++i)  // both halves of the tile, of both layers
      if (const int row = part_row(i / 2); row < valid_ && qkv_column() < 3 * kWidth)
        tell(g_.buffers.told + qkv_pair(i % 2, first_ + row, qkv_column()), 0, 0);
    for (int i = static_cast<int>(blockIdx.x) * kThreads + thread();
         i < a_.shape.length * a_.shape.vocabulary; i += static_cast<int>(gridDim.x) * kThreads)
      tell(g_.buffers.said + i, 0, 0);
  }

  // After what others will read: all blocks meet, or only this one does. Weights are copied
  // meanwhile.
  __device__ void meet(bool all) {
    if (all) barrier_.arrive();
    weights_.refill();
    if (all)
      barrier_.wait();
    else
      __syncthreads();  // the sums make room
  }

  __device__ bool any_active() const {
    bool any = false;
    for (int row = thread(); row < a_.shape.rows; row += kThreads)
      any = any || __ldcg(reinterpret_cast<const unsigned char*>(g_.buffers.active) + row) != 0;
    return __syncthreads_or(any);
  }

  // --- norms ---

  // f(q, column) for the lane's quads of a row.
  template <class Function>
  static __device__ __forceinline__ void each_quad(Function&& f) {
    const int first = 4 * lane();
#pragma unroll
    for (int q = 0; q < kUnits; ++q) f(q, 128 * q + first);
  }

  // A norm's weight and bias for the lane's quads, asked for before the rows are there.
  struct Affine {
    bool is_one = false;
    float4 weight[kUnits] = {}, bias[kUnits] = {};

    explicit __device__ Affine(const AnswerNorm& norm) : is_one(norm.weight != nullptr) {
      if (is_one)
        each_quad([&](int q, int at) {
          weight[q] = load4(norm.weight + at);
          bias[q] = load4(norm.bias + at);
        });
    }
  };

  // The rows as the norm of the residual stream, a warp each, after what the product before brought
  // has been added to it. Where a loop starts, the stream is made of what it was and the tokens'
  // embedding.
  __device__ __forceinline__ void normalize(const Affine& affine, bool starts, int loop) {
    const int row = warp();
    float* const stream = stream_ + row * kWidth;
    auto* const normed = reinterpret_cast<__nv_bfloat16*>(normed_ + row * kRowPitch);
    float4 x[kUnits] = {};
    if (!starts || loop > 0) {
      const char* const brought = normed_ + row * Layout::kSentPitch;
      each_quad([&](int q, int at) {
        const char* const piece = brought + at / kOwn * Layout::kSentBytes + at % kOwn * 2;
        x[q] = plus(load4(stream + at), load4(reinterpret_cast<const __nv_bfloat16*>(piece)));
      });
      __syncthreads();  // the norm takes its place
    }
    if (starts) {
      if (loop > 0 && a_.loop_norm) {
        standardize(x, /*centred=*/false);
        each_quad([&](int q, int) { x[q] = rounded(x[q]); });
      }
      if (row < valid_) add_embedding(x, first_ + row);
    }
    each_quad([&](int q, int at) { store4(stream + at, x[q]); });
    standardize(x, affine.is_one);
    if (affine.is_one)
      each_quad([&](int q, int) {
        const float4 w = affine.weight[q], b = affine.bias[q], v = x[q];
        x[q] = {v.x * w.x + b.x, v.y * w.y + b.y, v.z * w.z + b.z, v.w * w.w + b.w};
      });
    each_quad([&](int q, int at) { store4(normed + at, x[q]); });
    __syncthreads();
  }

  static __device__ float4 rounded(float4 v) { return unpack4({pack(v.x, v.y), pack(v.z, v.w)}); }

  __device__ void add_embedding(float4 (&x)[kUnits], int n) const {
    const float* const of_token = a_.tokens + tokens_[n] * kWidth;
    const float* const of_position = a_.positions + static_cast<std::int64_t>(n) * kWidth;
    const float* const of_frozen =
        a_.frozen == nullptr ? nullptr : a_.frozen + (frozen_[n] ? kWidth : 0);
    each_quad([&](int q, int at) {
      float4 e = plus(load4(of_token + at), load4(of_position + at));
      if (of_frozen != nullptr) e = plus(e, load4(of_frozen + at));
      x[q] = plus(x[q], e);
    });
  }

  // (x - mean) / sigma, or x over its root mean square.
  __device__ void standardize(float4 (&x)[kUnits], bool centred) const {
    if (centred) {
      float sum = 0;
      each_quad([&](int q, int) { sum += (x[q].x + x[q].y) + (x[q].z + x[q].w); });
      const float mean = lane_sum(sum) * (1.0f / kWidth);
      each_quad([&](int q, int) { x[q] = plus(x[q], {-mean, -mean, -mean, -mean}); });
    }
    float squares = 0;
    each_quad([&](int q, int) {
      const float4 v = x[q];
      squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    });
    const float scale = rsqrtf(lane_sum(squares) * (1.0f / kWidth) + a_.norm_eps);
    each_quad([&](int q, int) {
      x[q] = {x[q].x * scale, x[q].y * scale, x[q].z * scale, x[q].w * scale};
    });
  }

  // --- products ---

  // The rows times the next parts of the weights, a warp's share of it into the sums; rows_of(part)
  // are those for a part. Then the block has met, and refill() may replace the parts.
  template <int kTileUnits, class RowsOf>
  __device__ __forceinline__ void multiply(int parts, RowsOf&& rows_of) {
    const WarpShare share(warp(), parts, kWidth / 16);
    if (share.part < parts)
      multiply_rows<kTileUnits, kRowPitch>(sums_ + warp() * kTileUnits * 32, rows_of(share.part),
                                           weights_.wait(share.part), share.begin, share.end);
    weights_.drop(parts);
    __syncthreads();
  }
  __device__ WholeRows<kUnits> normed() const { return {shared_address(normed_)}; }

  // What so many warps from `first` on have of a unit, in the thread's place: two columns of one
  // row, then of the other.
  template <int kTileUnits>
  __device__ __forceinline__ float4 total(int first, int warps, int unit) const {
    const float4* const at = sums_ + (first * kTileUnits + unit) * 32 + lane();
    float4 sum{};
#pragma unroll 4
    for (int i = 0; i < warps; ++i) sum = plus(sum, at[i * kTileUnits * 32]);
    return sum;
  }

  static __device__ float2 pair_at(const float* from, int column) {
    return from == nullptr ? float2{} : *reinterpret_cast<const float2*>(from + column);
  }

  // In bf16, as the library takes it that multiplies large batches.
  __device__ float2 qkv_bias(const AnswerLayer& layer, int column) const {
    if (layer.qkv_bias == nullptr) return {};
    if (a_.qkv_bias_is_bf16)
      return unpack(*reinterpret_cast<const std::uint32_t*>(
          static_cast<const __nv_bfloat16*>(layer.qkv_bias) + column));
    const float2 b = pair_at(static_cast<const float*>(layer.qkv_bias), column);
    return unpack(pack(b.x, b.y));
  }

  // Where the row's queries, keys and values of a position are, counted in pairs of columns. Those
  // of two layers have places of their own: another cluster may still read the last layer's.
  __device__ int qkv_pair(unsigned meeting, int position, int column) const {
    const int all = static_cast<int>(meeting % 2) * a_.shape.rows + row_;
    return ((all * a_.shape.length + position) * 3 * kWidth + column) / 2;
  }

  // The thread's columns of them, in a tile of which each warp has one; none from 3C on.
  __device__ int qkv_column() const {
    return warp() / kUnits * kWidth + rank_ * kOwn + part_column(warp() % kUnits);
  }

  __device__ __forceinline__ void make_qkv(const AnswerLayer& layer) {
    constexpr int kParts = 3, kSplits = splits_of(kParts);
    const int part = warp() / kUnits, unit = warp() % kUnits, column = qkv_column();
    const bool mine = part < kParts;
    const float2 bias = mine ? qkv_bias(layer, column) : float2{};
    multiply<kUnits>(kParts, [&](int) { return normed(); });
    if (!mine) return;
    const float4 y = total<kUnits>(part * kSplits, kSplits, unit);
    const auto store = [&](int row, std::uint32_t pair) {
      if (row >= valid_) return;
      const int at = qkv_pair(meeting_, first_ + row, column);
      if (single_)
        tell(g_.buffers.told + at, pair, meeting_);
      else
        reinterpret_cast<std::uint32_t*>(g_.buffers.qkv)[at] = pair;
    };
    store(part_row(0), pack(y.x + bias.x, y.y + bias.y));
    store(part_row(1), pack(y.z + bias.x, y.w + bias.y));
  }

  __device__ float activated(float u) const {
    return a_.gelu ? Gelu::value(u) : ReluSquared::value(u);
  }

  __device__ __forceinline__ void make_hidden(const AnswerLayer& layer) {
    const int parts = g_.expansion, splits = splits_of(parts);
    const int part = warp() / kUnits, unit = warp() % kUnits;
    const bool mine = part < parts;
    const float2 bias =
        mine ? pair_at(layer.up_bias, part * kWidth + rank_ * kOwn + part_column(unit)) : float2{};
    multiply<kUnits>(parts, [&](int) { return normed(); });
    char* const own = hidden_ + rank_ * sent_bytes();
    if (mine) {
      const float4 y = total<kUnits>(part * splits, splits, unit);
      store_part(own + part * Layout::kSentBytes, unit,
                 {activated(y.x + bias.x), activated(y.y + bias.y), activated(y.z + bias.x),
                  activated(y.w + bias.y)});
    }
    send(kHidden, own, own, sent_bytes());
    expect(kHidden, (kRanks - 1) * sent_bytes());
    weights_.refill();
  }
  // What a block sends of the MLP's rows.
  __device__ int sent_bytes() const { return g_.expansion * Layout::kSentBytes; }

  // The thread's place of a tile, to the block's part of an exchange.
  static __device__ void store_part(char* to, int unit, float4 y) {
    to += 2 * part_column(unit);
    *reinterpret_cast<std::uint32_t*>(to + part_row(0) * Layout::kSentPitch) = pack(y.x, y.y);
    *reinterpret_cast<std::uint32_t*>(to + part_row(1) * Layout::kSentPitch) = pack(y.z, y.w);
  }

  // The product and its bias, in bf16 as in larger batches; normalize() adds it to the stream.
  template <class Rows>
  __device__ __forceinline__ void add_to_stream(Exchange which, Rows rows, int parts,
                                                const float* const all_bias) {
    const bool mine = warp() < kUnits;
    const float2 bias = mine ? pair_at(all_bias, rank_ * kOwn + part_column(warp())) : float2{};
    multiply<kUnits>(parts, [&](int part) {
      Rows some = rows;
      some.begin += part * Layout::kSentBytes;
      return some;
    });
    char* const own = normed_ + rank_ * Layout::kSentBytes;
    if (mine) {
      const float4 y = total<kUnits>(0, parts * splits_of(parts), warp());
      const float4 sum{y.x + bias.x, y.y + bias.y, y.z + bias.x, y.w + bias.y};
      store_part(own, warp(), sum);
      store_part(out_, warp(), sum);  // a norm takes the other's place before all have it
    }
    send(which, out_, own, Layout::kSentBytes);
    expect(which, (kRanks - 1) * Layout::kSentBytes);
    weights_.refill();
  }

  // So many bytes will come.
  __device__ void expect(Exchange which, int bytes) {
    if (thread() == 0) known_.there[which].expect(bytes);
  }

  // Copies what the block has just written to `to` in the memory of every other block, a warp to
  // each. Its own threads see what they wrote there themselves.
  __device__ __forceinline__ void send(Exchange which, const char* from, const char* to,
                                       int bytes) {
    fence_async();
    __syncthreads();
    static_assert(kWarps == kRanks);
    const int rank = warp();
    if (lane() == 0 && rank != rank_)
      send_bytes(address_at(shared_address(to), rank), shared_address(from), bytes,
                 address_at(shared_address(&known_.there[which]), rank));
  }

  // --- attention: a head of the row for each block ---

  __device__ void attend() {
    const int length = a_.shape.length, padded = round_up(length, 16);
    char* const scratch = reinterpret_cast<char*>(sums_);
    char *const q_rows = scratch, *const k_rows = q_rows + kRows * kPitch<kSize>,
                *const v_rows = k_rows + padded * kPitch<kSize>;
    const std::uint32_t q = shared_address(q_rows), k = shared_address(k_rows),
                        v = shared_address(v_rows);
    const __nv_bfloat16* const all = g_.buffers.qkv + 2 * qkv_pair(meeting_, 0, 0);
    int others = 2 * kRows * kWidth;  // bytes that come from other blocks
    for (int head = rank_; head < a_.shape.heads; head += kRanks) {
      if (single_) {
        take_told<kSize>({q_rows, k_rows, v_rows},
                         g_.buffers.told + qkv_pair(meeting_, 0, head * kSize), kWidth,
                         {first_, valid_, length}, meeting_);
        // It gives rows to other warps than normalize_rows() does.
        if (g_.heads.norm) __syncthreads();
      } else {
        const __nv_bfloat16* const from = all + head * kSize;
        load_rows<kSize>(q, from + first_ * 3 * kWidth, 3 * kWidth, valid_, kRows);
        load_rows<kSize>(k, from + kWidth, 3 * kWidth, length, padded);
        load_rows<kSize>(v, from + 2 * kWidth, 3 * kWidth, length, padded);
        wait_for_copies();
      }
      if (g_.heads.norm) {
        normalize_rows<kSize>(q, kRows, g_.heads.eps, nullptr);
        normalize_rows<kSize>(k, padded, g_.heads.eps, nullptr);
      }
      __syncthreads();
      constexpr int kBytes = kRows * kPitch<kSize>;
      char* const own = hidden_ + head * kBytes;
      if (warp() == 0) attend_tile<kSize>(known_.heads, q, k, v, first_, own);
      send(kMixed, own, own, kBytes);
      others -= kBytes;
    }
    expect(kMixed, others);
  }

  // --- the end of a pass ---

  __device__ void make_logits() {
    if (!weights_.has_head()) return;
    multiply<kHeadParts>(1, [&](int) { return normed(); });
    if (warp() != 0) return;
    const auto part = [&](int which) { return total<kHeadParts>(0, kMostSplits, which); };
    const float4 y = plus(part(0), plus(part(1), part(2)));
    const int token = rank_ * kHeadTokens + part_column(0), vocabulary = a_.shape.vocabulary;
    const std::int64_t begin = place(0) * vocabulary;
    const unsigned turn = logits_turn();
    const auto store = [&](int row, int of, float value) {
      if (row >= valid_ || of >= vocabulary) return;
      const std::int64_t at = begin + row * vocabulary + of;
      if (single_) tell(g_.buffers.said + at, __float_as_uint(value), turn);
      a_.logits[at] = value;
    };
    store(part_row(0), token, y.x);
    store(part_row(0), token + 1, y.y);
    store(part_row(1), token, y.z);
    store(part_row(1), token + 1, y.w);
  }

  __device__ void choose() {
    if (!known_.active) return;
    const std::int64_t numbers = a_.shape.length * a_.shape.vocabulary;
    choose_row(known_.pass, row_, a_.first_draw,
               {a_.logits + row_ * numbers, single_ ? g_.buffers.said : nullptr, logits_turn()},
               reinterpret_cast<float*>(sums_));
    if (thread() == 0 && leads()) g_.buffers.active[row_] = known_.active;
  }

  int turn_ = 0;          // the parity of the exchanges
  unsigned meeting_ = 0;  // how many layers had queries, keys and values made

  const Arguments& g_;
  const Answer& a_;
  const int rank_;           // in the cluster
  const int row_;            // of the batch
  const int first_, valid_;  // the cluster's positions: first, how many
  const bool single_;
  Known& known_;
  std::int64_t* const tokens_;  // (N) of the row, then as many previous ones
  float* const noise_;          // (N): what the pass adds to scores
  bool* const frozen_;          // (N)
  char* const out_;             // what is sent to be added to the stream
  float* const stream_;         // (16, C)
  float4* const sums_;
  char *const normed_, *const hidden_;  // (16, C), (expansion, 16, C); attention's before the MLP's
  Weights<kUnits> weights_;
  GridBarrier barrier_;
};

}  // namespace mgdm::ops::cuda::clusters
