#include "runtime/pass.h"

#include <algorithm>

#include "runtime/kernels.h"

namespace mgdm::runtime {

KeysAndValues::KeysAndValues(std::size_t heads, std::size_t head_size, std::size_t most_positions)
    : heads_(heads),
      size_(head_size),
      most_(most_positions),
      wide_(panel_columns()),
      value_panels_((head_size + wide_ - 1) / wide_),
      keys_((most_ + wide_ - 1) / wide_ * wide_ * heads * head_size),
      values_(heads * value_panels_ * most_ * wide_) {}

void KeysAndValues::set(std::size_t position, const float* keys, const float* values) {
  const std::size_t width = heads_ * size_;
  float* const column = keys_.data() + position / wide_ * wide_ * width + position % wide_;
  for (std::size_t i = 0; i < width; ++i) column[i * wide_] = keys[i];
  for (std::size_t head = 0; head < heads_; ++head)
    for (std::size_t p = 0; p < value_panels_; ++p) {
      const float* const from = values + head * size_ + p * wide_;
      float* const to = values_.data() + ((head * value_panels_ + p) * most_ + position) * wide_;
      std::copy(from, from + std::min(wide_, size_ - p * wide_), to);
    }
}

Panels KeysAndValues::keys(std::size_t head, std::size_t count) const {
  return {keys_.data() + head * size_ * wide_, heads_ * size_ * wide_, size_, count};
}

Panels KeysAndValues::values(std::size_t head, std::size_t count) const {
  return {values_.data() + head * value_panels_ * most_ * wide_, most_ * wide_, count, size_};
}

namespace {

constexpr std::size_t kMostQueries = 48;  // at a time: their scores stay in cache

// How many positions the last token of a stretch can see.
std::size_t end_of(const Stretch& stretch) { return stretch.first + stretch.tokens.size(); }

// A row of scores is a whole number of vectors.
std::size_t score_stride(std::size_t keys) { return (keys + 15) / 16 * 16; }

class Pass {
 public:
  Pass(const Transformer& network, std::span<const Stretch> stretches, Workspace& work,
       const Share& share)
      : net_(network),
        stretches_(stretches),
        work_(work),
        share_(share),
        own_(work.own[static_cast<std::size_t>(share.member)]) {
    const std::size_t all = positions_of(stretches),
                      members = static_cast<std::size_t>(share.members),
                      member = static_cast<std::size_t>(share.member);
    begin_ = all * member / members;
    end_ = all * (member + 1) / members;
  }

  void run(std::size_t loops) {
    embed();
    for (std::size_t loop = 0; loop < loops; ++loop) {
      if (loop > 0) start_loop();
      for (std::size_t i = 0; i < net_.blocks.size(); ++i)
        run_block(net_.blocks[i], loop * net_.blocks.size() + i);
    }
    predict();
  }

 private:
  // Our positions that belong to one stretch.
  struct Part {
    const Stretch* stretch;
    std::size_t row, count;  // in the workspace
    std::size_t offset;      // of the first in its stretch
  };

  template <class Use>
  void for_parts(const Use& use) const {
    std::size_t at = 0;
    for (const Stretch& stretch : stretches_) {
      const std::size_t size = stretch.tokens.size();
      const std::size_t from = std::max(begin_, at), to = std::min(end_, at + size);
      if (from < to) use(Part{&stretch, from, to - from, from - at});
      at += size;
    }
  }

  std::size_t count() const { return end_ - begin_; }

  // Our rows.
  MutableRows ours(Activations& all) const { return all.from_row(begin_); }
  MutableRows stream() const { return ours(work_.x); }
  MutableRows normed() const { return ours(work_.normed); }

  static ConstRows read(MutableRows rows) { return {rows.data, rows.stride}; }

  void embed() {
    for_parts([&](const Part& part) {
      for (std::size_t i = 0; i < part.count; ++i) {
        const std::size_t n = part.offset + i;
        float* const x = work_.x.row(part.row + i);
        read_token(part.stretch->tokens[n], x);
        net_.position_table.add_row(part.stretch->first + n, x);
        if (net_.given_table.empty()) continue;
        const bool given = part.stretch->given != nullptr && part.stretch->given[n] != 0;
        net_.given_table.add_row(given ? 1 : 0, x);
      }
    });
    if (net_.looped) {
      const float* const x = stream().data;
      std::copy(x, x + count() * work_.x.stride(), ours(work_.e).data);
    }
  }

  void read_token(data::Token token, float* x) const {
    if (net_.token_table.empty()) return net_.head.weight.read_row(token, x);
    std::fill(x, x + net_.width, 0.0f);
    net_.token_table.add_row(token, x);
  }

  void start_loop() {
    const std::size_t numbers = count() * work_.x.stride();
    float* const x = stream().data;
    const float* const e = ours(work_.e).data;
    if (net_.loop_norm) apply(net_.last_norm, read(stream()), count(), stream());
    for (std::size_t i = 0; i < numbers; ++i) x[i] += e[i];
  }

  void run_block(const Block& block, std::size_t place) {
    const MutableRows qkv = ours(work_.qkv), hidden = ours(work_.hidden);
    apply(block.before_attention, read(stream()), count(), normed());
    apply(block.qkv, read(normed()), {}, qkv);
    remember(place);
    if (share_.team != nullptr) share_.team->meet();
    attend(place);
    apply(block.projection, read(normed()), {.add = true}, stream());
    apply(block.before_mlp, read(stream()), count(), normed());
    apply(block.up, read(normed()), {.activation = net_.activation}, hidden);
    apply(block.down, read(hidden), {.add = true}, stream());
  }

  void apply(const Norm& norm, ConstRows from, std::size_t rows, MutableRows to) const {
    if (norm.weight.empty())
      rms_norm(from, rows, net_.width, norm.eps, to);
    else
      layer_norm(from, rows, net_.width, norm.eps, norm.weight.data(), norm.bias.data(), to);
  }

  void apply(const Linear& linear, ConstRows from, Ending ending, MutableRows to) const {
    ending.bias = linear.bias.data();
    linear.weight.multiply(from, count(), ending, to, own_.scratch);
  }

  static KeysAndValues& memory(const Stretch& stretch, std::size_t place) {
    return (*stretch.memory)[place % stretch.memory->size()];
  }

  // Puts our keys and values where all can read them.
  void remember(std::size_t place) {
    const std::size_t width = net_.width;
    for_parts([&](const Part& part) {
      KeysAndValues& to = memory(*part.stretch, place);
      for (std::size_t i = 0; i < part.count; ++i) {
        float* const row = work_.qkv.row(part.row + i);
        if (net_.head_norm_eps > 0) {  // queries and keys, which stand side by side
          const MutableRows heads{row, net_.head_size()};
          rms_norm(read(heads), 2 * net_.heads, net_.head_size(), net_.head_norm_eps, heads);
        }
        to.set(part.stretch->first + part.offset + i, row + width, row + 2 * width);
      }
    });
  }

  // normed = attention of our queries over the keys and values of their sequences.
  void attend(std::size_t place) {
    for_parts([&](const Part& part) {
      const KeysAndValues& from = memory(*part.stretch, place);
      for (std::size_t done = 0; done < part.count; done += kMostQueries) {
        const std::size_t queries = std::min(kMostQueries, part.count - done);
        attend(part, from, done, queries);
      }
    });
  }

  void attend(const Part& part, const KeysAndValues& from, std::size_t done, std::size_t queries) {
    const std::size_t size = net_.head_size();
    const std::size_t own = part.stretch->first + part.offset + done;  // the first query's position
    const std::size_t keys = net_.causal ? own + queries : end_of(*part.stretch);
    const std::size_t row = part.row + done;
    const MutableRows scores{own_.scores.data(), score_stride(keys)};
    for (std::size_t head = 0; head < net_.heads; ++head) {
      product({work_.qkv.row(row) + head * size, work_.qkv.stride()}, queries,
              from.keys(head, keys), {}, scores);
      softmax(scores, queries, keys, net_.attention_scale, net_.causal ? own + 1 : keys,
              net_.causal);
      product(read(scores), queries, from.values(head, keys), {},
              {work_.normed.row(row) + head * size, work_.normed.stride()});
    }
  }

  void predict() {
    apply(net_.last_norm, read(stream()), count(), normed());
    for_parts([&](const Part& part) {
      const std::size_t length = part.stretch->tokens.size(), end = part.offset + part.count;
      if (part.stretch->about_next) {
        if (end == length) logits_of(part.row + part.count - 1, 1, part.stretch->logits);
      } else if (net_.shift) {
        // Position n is about token n+1; the first is about itself as well, the last about nothing.
        if (part.offset == 0) logits_of(part.row, 1, part.stretch->logits);
        const std::size_t used = end == length ? part.count - 1 : part.count;
        logits_of(part.row, used, part.stretch->logits + (part.offset + 1) * net_.vocabulary);
      } else {
        logits_of(part.row, part.count, part.stretch->logits + part.offset * net_.vocabulary);
      }
    });
  }

  void logits_of(std::size_t row, std::size_t rows, float* logits) const {
    net_.head.weight.multiply(read(work_.normed.from_row(row)), rows, {}, {logits, net_.vocabulary},
                              own_.scratch);
  }

  const Transformer& net_;
  const std::span<const Stretch> stretches_;
  Workspace& work_;
  const Share& share_;
  Workspace::Own& own_;
  std::size_t begin_ = 0, end_ = 0;  // our positions among all
};

}  // namespace

std::size_t positions_of(std::span<const Stretch> stretches) {
  std::size_t count = 0;
  for (const Stretch& stretch : stretches) count += stretch.tokens.size();
  return count;
}

void Workspace::reserve(const Transformer& network, std::span<const Stretch> stretches,
                        int members) {
  const std::size_t rows = positions_of(stretches), width = network.width;
  x.reserve(rows, width);
  e.reserve(rows, width);
  normed.reserve(rows, width);
  qkv.reserve(rows, 3 * width);
  hidden.reserve(rows, 4 * width);
  const auto sharing = static_cast<std::size_t>(members);
  const std::size_t share = (rows + sharing - 1) / sharing;
  std::size_t most_keys = 0;
  for (const Stretch& stretch : stretches) most_keys = std::max(most_keys, end_of(stretch));
  own.resize(std::max(own.size(), static_cast<std::size_t>(members)));
  for (Own& each : own) {
    each.scores.reserve(kMostQueries * score_stride(most_keys));
    each.scratch.numbers.reserve(WeightMatrix::scratch_size(share, 4 * width));
    each.scratch.scales.reserve(share);
  }
}

void run_pass(const Transformer& network, std::size_t loops, std::span<const Stretch> stretches,
              Workspace& work, const Share& share) {
  Pass(network, stretches, work, share).run(loops);
}

}  // namespace mgdm::runtime
