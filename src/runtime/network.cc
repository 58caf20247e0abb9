#include "runtime/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/error.h"
#include "formats/safetensors_folder.h"
#include "runtime/architectures.h"
#include "runtime/pass.h"
#include "runtime/team.h"

namespace mgdm::runtime {
namespace {

// Positions that go through the network together, at least, where there are many: weights are read
// from memory once for all of them, and what is computed of them stays in a core's own cache.
constexpr std::size_t kGroupPositions = 64;

// A thread is worth waking for so many: it reads all weights for them.
constexpr std::size_t kFewestPositions = 8;

class CachedSequence : public decoding::Sequence {
 public:
  CachedSequence(const Transformer& network, std::size_t loops) : loops_(loops) {
    for (std::size_t i = 0; i < loops * network.blocks.size(); ++i)
      memory_.emplace_back(network.heads, network.head_size(), network.positions);
  }

  std::size_t loops() const { return loops_; }
  Stretch read_on(std::span<const data::Token> tokens, float* logits) {
    const std::size_t first = std::exchange(length_, length_ + tokens.size());
    return {tokens, nullptr, first, &memory_, logits, /*about_next=*/true};
  }

 private:
  const std::size_t loops_;
  std::size_t length_ = 0;
  Memory memory_;  // of every loop and block
};

class CpuNetwork : public decoding::Network {
 public:
  CpuNetwork(std::shared_ptr<const Transformer> network, int threads)
      : weights_(std::move(network)), team_(threads), own_(static_cast<std::size_t>(threads)) {}

  std::size_t vocabulary() const override { return net_.vocabulary; }
  bool causal() const override { return net_.causal; }

  std::unique_ptr<decoding::Network> share(int threads) const override {
    return std::make_unique<CpuNetwork>(weights_, thread_count(threads));
  }

  void logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> logits) override {
    const std::size_t length = rows.length, each = length * net_.vocabulary;
    MGDM_CHECK(logits.size() == rows.count * each);
    if (each == 0) return;
    stretches_.clear();
    for (std::size_t b = 0; b < rows.count; ++b)
      stretches_.push_back({rows.tokens.subspan(b * length, length),
                            rows.frozen.empty() ? nullptr : rows.frozen.data() + b * length,
                            /*first=*/0, /*memory=*/nullptr, logits.data() + b * each});
    run(loops_for(loops), /*remembers=*/false);
  }

  std::unique_ptr<decoding::Sequence> start(std::int64_t loops) override {
    MGDM_CHECK(net_.causal);
    return std::make_unique<CachedSequence>(net_, loops_for(loops));
  }

  void next_logits(std::span<const decoding::Reading> readings, std::span<float> logits) override {
    MGDM_CHECK(net_.causal && logits.size() == readings.size() * net_.vocabulary);
    std::set<std::size_t> all_loops;
    for (const decoding::Reading& reading : readings)
      all_loops.insert(sequence_of(reading).loops());
    for (const std::size_t loops : all_loops) {
      stretches_.clear();
      for (std::size_t b = 0; b < readings.size(); ++b) {
        CachedSequence& sequence = sequence_of(readings[b]);
        if (sequence.loops() != loops) continue;
        MGDM_CHECK(!readings[b].tokens.empty());
        stretches_.push_back(
            sequence.read_on(readings[b].tokens, logits.data() + b * net_.vocabulary));
      }
      run(loops, /*remembers=*/true);
    }
  }

 private:
  std::size_t loops_for(std::int64_t asked) const {
    return net_.looped && asked > 0 ? static_cast<std::size_t>(asked) : net_.loops;
  }

  static CachedSequence& sequence_of(const decoding::Reading& reading) {
    auto* const sequence = dynamic_cast<CachedSequence*>(reading.sequence);
    MGDM_CHECK(sequence != nullptr);
    return *sequence;
  }

  void check_stretches() const {
    for (const Stretch& stretch : stretches_) {
      const std::size_t end = stretch.first + stretch.tokens.size();
      if (end > net_.positions)
        throw Error(fmt::format("a sequence of {} tokens", end),
                    fmt::format("at most {}, the length of this model", net_.positions));
      for (const data::Token token : stretch.tokens)
        if (token >= net_.vocabulary)
          throw Error(fmt::format("token {}", token),
                      fmt::format("one of the {} tokens of this model", net_.vocabulary));
    }
  }

  // Stretches that go through together, one group behind the other.
  std::vector<std::span<Stretch>> groups() {
    std::vector<std::span<Stretch>> groups;
    std::size_t begin = 0, positions = 0;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      positions += stretches_[i].tokens.size();
      if (positions < kGroupPositions && i + 1 < stretches_.size()) continue;
      groups.push_back(std::span(stretches_).subspan(begin, i + 1 - begin));
      begin = i + 1;
      positions = 0;
    }
    return groups;
  }

  // Where a thread, or all of them together, compute: activations, and memory for sequences that
  // have none of their own.
  class Desk {
   public:
    void prepare(const Transformer& net, std::span<const Stretch> stretches, int members) {
      work.reserve(net, stretches, members);
      for (const Stretch& stretch : stretches) {
        if (stretch.memory != nullptr || stretch.tokens.size() <= most_positions_) continue;
        most_positions_ = stretch.tokens.size();
        memories_.clear();
      }
      while (most_positions_ > 0 && memories_.size() < stretches.size()) {
        Memory& memory = memories_.emplace_back();
        for (int turn = 0; turn < 2; ++turn)
          memory.emplace_back(net.heads, net.head_size(), most_positions_);
      }
    }

    void lend_memory(std::span<Stretch> stretches) {
      for (std::size_t i = 0; i < stretches.size(); ++i) stretches[i].memory = &memories_[i];
    }

    Workspace work;

   private:
    std::vector<Memory> memories_;
    std::size_t most_positions_ = 0;  // that each has room for
  };

  // All stretches. With enough of them every thread takes whole groups and waits for nobody;
  // otherwise all threads share the positions of all.
  void run(std::size_t loops, bool remembers) {
    check_stretches();
    const std::vector<std::span<Stretch>> all = groups();
    const auto threads = static_cast<std::size_t>(team_.members());
    if (all.size() < 2 * threads) {
      const int sharing = static_cast<int>(
          std::clamp(positions_of(stretches_) / kFewestPositions, std::size_t{1}, threads));
      shared_.prepare(net_, stretches_, sharing);
      if (!remembers) shared_.lend_memory(stretches_);
      team_.run(sharing, [&](int member) {
        run_pass(net_, loops, stretches_, shared_.work, {member, sharing, &team_});
      });
      return;
    }
    for (Desk& desk : own_)
      for (const std::span<Stretch> group : all) desk.prepare(net_, group, 1);
    std::atomic<std::size_t> next = 0;
    team_.run([&](int member) {
      Desk& desk = own_[static_cast<std::size_t>(member)];
      for (std::size_t i = next++; i < all.size(); i = next++) {
        if (!remembers) desk.lend_memory(all[i]);
        run_pass(net_, loops, all[i], desk.work, {});
      }
    });
  }

  const std::shared_ptr<const Transformer> weights_;
  const Transformer& net_ = *weights_;
  Team team_;
  Desk shared_;
  std::vector<Desk> own_;  // of each thread
  std::vector<Stretch> stretches_;
};

}  // namespace

bool knows(const spec::ModelSettings& settings) { return is_known(settings); }

std::unique_ptr<decoding::Network> load_network(const std::filesystem::path& folder,
                                                const spec::ModelSettings& settings,
                                                const Options& options) {
  check_known(settings);  // before its files are looked for
  const formats::Safetensors file = formats::open_safetensors_folder(folder);
  return std::make_unique<CpuNetwork>(
      std::make_shared<const Transformer>(make_transformer(settings, file, options.arithmetic)),
      thread_count(options.threads));
}

}  // namespace mgdm::runtime
