// What a block decides about a row of a pass, once its logits are in shared memory. Eight lanes, a
// group, look at a position at a time, each at every 8th token; so do they count ranks: a position
// compares itself with all others, which for some hundred of them is less than the many steps of a
// sort. What is left is a position for each thread.
#pragma once

#include "base/philox.h"
#include "ops/cuda/decoding_pass.h"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {

constexpr int kChoiceThreads = 512, kChoiceWarps = kChoiceThreads / 32;  // of a block
constexpr unsigned kAll = 0xffffffff;
constexpr int kGroup = 8, kChoiceGroups = kChoiceThreads / kGroup;

using Order = DecodingRule::Order;

// The facts about a position, in shared memory.
struct Position {
  float score;  // log-probability of the prediction
  float key;    // what the order compares
  int prediction;
  bool diffused, masked, eligible, predicted;
};

// The first of equals is the best.
struct Best {
  float value;
  int token;
};

__device__ __forceinline__ Best better(Best a, Best b) {
  return b.value > a.value || (b.value == a.value && b.token < a.token) ? b : a;
}

// A thread's group: its lanes go the same way, those of others may go another.
struct Group {
  const int number = static_cast<int>(threadIdx.x) / kGroup;
  const int lane = static_cast<int>(threadIdx.x) % kGroup;
  const unsigned lanes = 0xffu << static_cast<int>(threadIdx.x) % 32 / kGroup * kGroup;

  // What all lanes have, put together by f(a, b), in every lane.
  template <class T, class Function>
  __device__ __forceinline__ T all(T own, Function&& f) const {
#pragma unroll
    for (int offset = kGroup / 2; offset > 0; offset /= 2) own = f(own, other(own, offset));
    return own;
  }
  template <class T>
  __device__ __forceinline__ T sum(T own) const {
    return all(own, [](T a, T b) { return a + b; });
  }
  __device__ __forceinline__ float most(float own) const {
    return all(own, [](float a, float b) { return fmaxf(a, b); });
  }
  __device__ __forceinline__ Best best(Best own) const { return all(own, better); }

 private:
  template <class T>
  __device__ __forceinline__ T other(T own, int offset) const {
    return __shfl_xor_sync(lanes, own, offset);
  }
  __device__ __forceinline__ Best other(Best own, int offset) const {
    return {__shfl_xor_sync(lanes, own.value, offset), __shfl_xor_sync(lanes, own.token, offset)};
  }
};

// The draws of a row's pass, as decoding/attempt.h has them.
struct RowDraws {
  std::uint64_t seed;
  std::uint32_t purpose, item, step;

  __device__ float uniform(int word) const {
    return philox_uniform(
        stream_block(seed, purpose, item, step, static_cast<std::uint32_t>(word / 4))[word % 4]);
  }
  __device__ float gumbel(int word) const { return -logf(-logf(fmaxf(uniform(word), 0x1p-25f))); }
};

inline __device__ RowDraws draws_of(const DecodingPass& pass, int row, std::int64_t first_draw,
                                    int step) {
  return {pass.rule.seed, pass.purpose, static_cast<std::uint32_t>(pass.items[row]),
          static_cast<std::uint32_t>(first_draw + step)};
}

// Whether noise is added to scores: it depends on no logits, and may be drawn before they arrive.
inline __device__ bool adds_noise(const DecodingRule& rule) {
  return (rule.order == Order::kTopk || rule.order == Order::kMargin) && rule.noise > 0;
}
inline __device__ float noise_at(int n, const DecodingRule& rule, const RowDraws& draws, int t) {
  const auto scale = static_cast<float>(rule.noise * (t / static_cast<double>(rule.steps)));
  return __fmul_rn(draws.gumbel(n), scale);  // the same bits, whoever adds it
}

// Log-probabilities of a position; a whole group makes them, a lane asks for tokens of its own, and
// for the one that the group found best. Logits of tokens that are no answer are overwritten.
class LogProbs {
 public:
  __device__ LogProbs(float* logits, int vocabulary, const DecodingRule& rule) : logits_(logits) {
    const Group group;
    for (const std::int64_t never : rule.never)
      if (never >= 0 && never < vocabulary && never % kGroup == group.lane)
        logits_[never] = -INFINITY;
    __syncwarp(group.lanes);
    for (int v = group.lane; v < vocabulary; v += kGroup) most_ = fmaxf(most_, logits_[v]);
    most_ = group.most(most_);
    float sum = 0;
    for (int v = group.lane; v < vocabulary; v += kGroup) sum += expf(logits_[v] - most_);
    log_sum_ = logf(group.sum(sum));
  }
  __device__ float operator()(int v) const { return logits_[v] - most_ - log_sum_; }

 private:
  float* logits_;
  float most_ = -INFINITY, log_sum_ = 0;
};

// How far the best token leads.
inline __device__ float lead(const LogProbs& log_p, int vocabulary, const Group& group) {
  Best first{-INFINITY, vocabulary}, second{-INFINITY, vocabulary};
  for (int v = group.lane; v < vocabulary; v += kGroup) first = better(first, {log_p(v), v});
  first = group.best(first);
  for (int v = group.lane; v < vocabulary; v += kGroup)
    if (v != first.token) second = better(second, {log_p(v), v});
  return expf(first.value) - expf(group.best(second).value);
}

inline __device__ float entropy(const LogProbs& log_p, int vocabulary, const Group& group) {
  float sum = 0;
  for (int v = group.lane; v < vocabulary; v += kGroup)
    if (const float p = expf(log_p(v)); p > 0) sum -= p * log_p(v);
  return group.sum(sum);
}

// Fills in what the network says about position n; a group's work.
inline __device__ void look_at(Position& position, int n, float* logits, const DecodingPass& pass,
                               const RowDraws& draws) {
  const DecodingRule& rule = pass.rule;
  const int vocabulary = pass.vocabulary;
  const Group group;
  const LogProbs log_p(logits, vocabulary, rule);
  const auto temperature = static_cast<float>(rule.temperature);
  Best best{-INFINITY, vocabulary};
  for (int v = group.lane; v < vocabulary; v += kGroup) {
    float preference = log_p(v);
    if (temperature > 0)  // argmax(l + T g) = argmax(l/T + g): a sample
      preference += temperature * draws.gumbel(pass.length + n * vocabulary + v);
    best = better(best, {preference, v});
  }
  best = group.best(best);
  best.token = min(best.token, vocabulary - 1);  // where all are NaN
  const float score = log_p(best.token);
  const float key = rule.order == Order::kMargin    ? lead(log_p, vocabulary, group)
                    : rule.order == Order::kEntropy ? -entropy(log_p, vocabulary, group)
                                                    : score;
  if (group.lane != 0) return;
  position.prediction = best.token;
  position.score = score;
  position.key = key;
}

// Sum over the block, in every thread. The block meets in it, and must have met since the last one.
inline __device__ int count_in_block(int own) {
  __shared__ int of_warp[kChoiceWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  own = __reduce_add_sync(kAll, own);
  if (lane == 0) of_warp[warp] = own;
  __syncthreads();
  return __reduce_add_sync(kAll, lane < kChoiceWarps ? of_warp[lane] : 0);
}

// A row in a block's hands.
struct DecidedRow {
  const DecodingRule& rule;
  Position* positions;  // (length)
  int length, t;
  int diffused, masked;  // how many
  RowDraws draws;

  // Ranks are counted by a group together.

  // How many eligible positions have a key not above that of n.
  __device__ int not_above(int n) const {
    const Group group;
    const float key = positions[n].key;
    int count = 0;
    for (int other = group.lane; other < length; other += kGroup)
      count += positions[other].eligible && positions[other].key <= key;
    return group.sum(count);
  }

  // How many masked positions come before n by rising keys; of equals the earlier comes first.
  __device__ int rank(int n) const {
    const Group group;
    const float key = positions[n].key;
    int count = 0;
    for (int other = group.lane; other < length; other += kGroup) {
      const float theirs = positions[other].key;
      count += positions[other].masked && (theirs < key || (theirs == key && other < n));
    }
    return group.sum(count);
  }

  // How many of the masked positions are left masked by `threshold` ...
  __device__ int unsure() const {
    int count = 0;
    for (int n = static_cast<int>(threadIdx.x); n < length; n += kChoiceThreads)
      count +=
          positions[n].masked && expf(positions[n].score) <= static_cast<float>(rule.threshold);
    return count_in_block(count);
  }

  // ... and by `entropy`, whose keys are entropies with a minus. `rising` (length) is scratch.
  __device__ int beyond_bound(float* rising) const {
    for (int n = Group().number; n < length; n += kChoiceGroups)
      if (positions[n].masked) rising[masked - 1 - rank(n)] = -positions[n].key;
    __syncthreads();
    int within = 0;
    if (threadIdx.x == 0) {
      double sum = 0;
      for (int i = 0; i < masked; ++i)
        within += static_cast<float>(sum += rising[i]) <= static_cast<float>(rule.entropy_bound);
    }
    return masked - count_in_block(within);
  }

  // The number that masks() compares with.
  __device__ int limit(int scheduled, float* scratch) const {
    if (rule.order == Order::kThreshold) return min(unsure(), masked - 1);
    if (rule.order == Order::kEntropy) return min(beyond_bound(scratch), masked - 1);
    return scheduled;
  }

  // Is n masked after this pass? A group asks together.
  __device__ bool masks(int n, int limit) const {
    const Position& p = positions[n];
    switch (rule.order) {
      case Order::kRandom:
        return p.masked && draws.uniform(n) >= static_cast<float>(1.0 / (t + 1.0));
      case Order::kThreshold:
      case Order::kEntropy:
        return p.masked && rank(n) < limit;
      default:  // below the limit-th smallest, from 0: at most so many are not above it
        return p.eligible && not_above(n) <= limit;
    }
  }
};

// A row's logits (N, V): start(i) begins to read the i-th of those that the network said, and
// finish(i, what that gave) is the number. With a shift those of a position are one position before
// it.
template <class Start, class Finish>
__device__ __forceinline__ void copy_logits(float* to, const DecodingPass& pass, Start&& start,
                                            Finish&& finish) {
  constexpr int kAtOnce = 4;  // all on their way before the first is waited for
  const int vocabulary = pass.vocabulary, numbers = pass.length * vocabulary;
  const bool shift = pass.shift;
  for (int first = static_cast<int>(threadIdx.x); first < numbers;
       first += kAtOnce * kChoiceThreads) {
    const auto place = [&](int i) {
      const int at = min(first + i * kChoiceThreads, numbers - 1);
      return shift && at >= vocabulary ? at - vocabulary : at;
    };
    decltype(start(0)) some[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) some[i] = start(place(i));
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int at = first + i * kChoiceThreads; at < numbers)
        to[at] = finish(place(i), some[i]);
  }
}
// Copies logits that other blocks of this kernel wrote before all blocks met.
inline __device__ void copy_logits(float* to, const float* from, const DecodingPass& pass) {
  copy_logits(
      to, pass, [&](int i) { return __ldcg(from + i); }, [](int, float number) { return number; });
}

// Decides about an active row of a pass, whose first pass draws at `first_draw`: the work of a
// block of kChoiceThreads. `memory` is decoding_pass_memory() of shared memory; fill(logits) writes
// the row's logits (N, V) there.
template <class Fill>
__device__ void decide(const DecodingPass& pass, int row, std::int64_t first_draw, float* memory,
                       Fill&& fill) {
  float* const scratch = memory;  // (length)
  auto* const positions = reinterpret_cast<Position*>(memory + pass.length);
  auto* const logits = reinterpret_cast<float*>(positions + pass.length);  // (N, V)
  const DecodingRule& rule = pass.rule;
  const int thread = static_cast<int>(threadIdx.x), length = pass.length;
  const int step = static_cast<int>(pass.passes[row]), t = static_cast<int>(rule.steps) - 1 - step;
  const std::int64_t begin = static_cast<std::int64_t>(row) * length;
  std::int64_t *const tokens = pass.tokens + begin, *const previous = pass.previous + begin;
  const RowDraws draws = draws_of(pass, row, first_draw, step);

  int diffused = 0, masked = 0;
  for (int n = thread; n < length; n += kChoiceThreads) {
    Position& p = positions[n];
    p.diffused = !pass.frozen[begin + n];
    p.masked = p.diffused && tokens[n] == rule.mask_token;
    p.eligible = rule.masks_again ? p.diffused : p.masked;
    p.predicted = rule.revise ? p.diffused : p.masked;
    diffused += p.diffused;
    masked += p.masked;
  }
  fill(logits);
  const int both = count_in_block(diffused << 16 | masked);  // logits are there, too
  diffused = both >> 16;
  masked = both & 0xffff;
  const int scheduled = pass.counts[(rule.steps - 1 - t) * (length + 1) + diffused];
  for (int n = Group().number; n < length; n += kChoiceGroups)
    if (positions[n].eligible || positions[n].predicted)
      look_at(positions[n], n, logits + n * pass.vocabulary, pass, draws);
  __syncthreads();

  bool settled = rule.early_stop && step > 0;
  for (int n = thread; n < length; n += kChoiceThreads) {
    Position& p = positions[n];
    if (adds_noise(rule))
      p.key += pass.noise != nullptr ? pass.noise[begin + n] : noise_at(n, rule, draws, t);
    if (!p.predicted) p.prediction = static_cast<int>(tokens[n]);
    if (!rule.early_stop) continue;
    const bool sure = !p.predicted || expf(p.score) > static_cast<float>(rule.threshold);
    settled = settled && sure && p.prediction == previous[n];
    previous[n] = p.prediction;
  }
  const bool shows_all = __syncthreads_and(settled) || t == 0;

  const DecidedRow decided{rule, positions, length, t, diffused, masked, draws};
  const int limit = shows_all ? 0 : decided.limit(scheduled, scratch);
  bool any = false;
  for (int n = Group().number; n < length; n += kChoiceGroups) {
    const bool mask = !shows_all && decided.masks(n, limit);
    any = any || mask;
    if (Group().lane == 0) tokens[n] = mask ? rule.mask_token : positions[n].prediction;
  }
  any = __syncthreads_or(any);
  if (thread != 0) return;
  pass.passes[row] = step + 1;
  pass.active[row] = !shows_all && (any || rule.masks_again);
}

}  // namespace mgdm::ops::cuda
