// The decoders on tensors beside the plain ones: the same networks, the same settings, and the same
// tokens after the same number of passes. Predictions may differ in their last bits, and so would a
// choice between scores that nearly tie: logits spread wide enough that none of these cases has
// one.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <tuple>

#include "compat/device.h"
#include "compat/test_support.h"
#include "decoding/test_support.h"
#include "engine/autoregressive.h"
#include "engine/device_decoding.h"
#include "engine/diffusion.h"
#include "engine/fake_networks.h"
#include "engine/multinomial.h"

namespace mgdm::engine {
namespace {

using decoding::kTestVocabulary;
using decoding::Puzzle;
using decoding::Tokens;

// What came out for one puzzle.
struct Outcome {
  Tokens tokens;
  std::int64_t passes = 0;
  std::vector<Tokens> seen = {};  // by its observer, where a pass changed something

  void see(Tokens now) {
    if (seen.empty() || seen.back() != now) seen.push_back(std::move(now));
  }
  bool operator==(const Outcome&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    for (const data::Token token : outcome.tokens) out << token << " ";
    return out << "| " << outcome.passes;
  }
};

Tokens to_tokens(const at::Tensor& row) { return nn::tokens_of(row); }

Batch to_batch(const std::vector<Puzzle>& puzzles, c10::Device device) {
  const auto rows = static_cast<std::int64_t>(puzzles.size());
  const auto length = static_cast<std::int64_t>(puzzles.front().tokens.size());
  Batch batch{at::empty({rows, length}, at::kLong), at::empty({rows, length}, at::kBool),
              at::empty({rows}, at::kLong)};
  for (std::int64_t b = 0; b < rows; ++b) {
    const Puzzle& puzzle = puzzles[static_cast<std::size_t>(b)];
    batch.items[b] = static_cast<std::int64_t>(puzzle.item);
    for (std::int64_t n = 0; n < length; ++n) {
      batch.tokens[b][n] = static_cast<std::int64_t>(puzzle.tokens[static_cast<std::size_t>(n)]);
      batch.frozen[b][n] = puzzle.frozen[static_cast<std::size_t>(n)] != 0;
    }
  }
  return {{batch.tokens.to(device), batch.frozen.to(device), batch.items.to(device)},
          puzzles.front().attempt};
}

// Unobserved, as much as can be is done by the decoder for GPUs; then nothing is seen.
std::vector<Outcome> on_tensors(const std::shared_ptr<decoding::Network>& plain,
                                const std::vector<Puzzle>& puzzles, c10::Device device,
                                bool observed = true) {
  const spec::DecodingSettings& settings = puzzles.front().settings;
  const Network network = network_of(plain);
  std::vector<Outcome> all(puzzles.size());
  const OnStep on_step = [&](const Step& step) {
    for (std::size_t row = 0; row < all.size(); ++row)
      all[row].see(to_tokens(step.tokens[static_cast<std::int64_t>(row)]));
    return true;
  };
  DeviceDecoding on_device([&](const spec::DecodingSettings&) { return network; },
                           /*recorded=*/false);  // the network computes on the CPU
  const Batch batch = to_batch(puzzles, device);
  const auto decoded = [&] {
    if (!observed) return on_device.decode(batch, settings);
    if (settings.decoder == spec::Decoder::kMultinomial)
      return decode_multinomial(network, kTestVocabulary, batch, settings, on_step);
    return decode(network, batch, settings, on_step);
  };
  const Result result = decoded();
  for (std::size_t row = 0; row < all.size(); ++row) {
    const auto b = static_cast<std::int64_t>(row);
    all[row].tokens = to_tokens(result.tokens[b]);
    all[row].passes = result.forward_passes[b].item<std::int64_t>();
    if (all[row].passes == 0) all[row].seen.clear();  // seen beside others, never decoded
  }
  return all;
}

std::vector<Outcome> plainly(decoding::Network& network, const std::vector<Puzzle>& puzzles) {
  std::vector<Outcome> all(puzzles.size());
  const decoding::Observer observer = [&](const decoding::Step& step) {
    all[step.slot].see({step.tokens.begin(), step.tokens.end()});
    return true;
  };
  for (const decoding::Finished& finished : decode_all(network, puzzles, observer)) {
    all[finished.slot].tokens = finished.best.tokens;
    all[finished.slot].passes = finished.best.forward_passes;
  }
  return all;
}

constexpr std::uint32_t kRows = 5;
constexpr std::size_t kLength = 11;

std::shared_ptr<decoding::Network> make_network(const std::string& name, std::uint64_t seed) {
  using decoding::FunctionNetwork;
  if (name == "random")
    return std::make_shared<FunctionNetwork>(decoding::random_network(seed, kTestVocabulary, 6));
  if (name == "ties")
    return std::make_shared<FunctionNetwork>(decoding::random_network(seed, kTestVocabulary, 6, 3));
  std::vector<Tokens> answers;
  std::vector<std::vector<int>> difficulty;
  Stream random(seed, Purpose::kTest, 77);
  for (const Puzzle& puzzle : decoding::random_puzzles(seed, kRows, kLength)) {
    answers.push_back(puzzle.tokens);
    difficulty.emplace_back();
    for (std::size_t n = 0; n < kLength; ++n) difficulty.back().push_back(random.between(0, 4));
  }
  return std::make_shared<FunctionNetwork>(
      decoding::oracle_network(answers, difficulty, kTestVocabulary));
}

// Every combination of what an order listens to, and of what it should not listen to.
std::vector<spec::DecodingSettings> all_settings(const std::string& order) {
  std::vector<spec::DecodingSettings> all;
  for (const char* schedule : {"linear", "cosine"})
    for (const char* revise : {"on", "remask", "off", "auto"})
      for (const double noise : {0.0, 0.5})
        for (const double temperature : {0.0, 0.7, 1.0})
          for (const bool early_stop : {false, true}) {
            spec::DecodingSettings settings = decoding::with_order(order, 5);
            settings.schedule = schedule;
            settings.revise = revise;
            settings.noise = noise;
            settings.temperature = temperature;
            settings.early_stop = early_stop;
            settings.threshold = 0.6;
            settings.entropy_bound = 1;
            all.push_back(settings);
          }
  return all;
}

class Agreement : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Agreement, OfTokensAndPasses) {
  const auto& [order, name] = GetParam();
  std::int64_t run = 0;
  for (spec::DecodingSettings settings : all_settings(order))
    for (const std::int64_t attempt : {0, 3}) {
      if (attempt > 0 && !settings.stochastic()) continue;
      settings.seed = ++run << 28;  // both words of the key
      SCOPED_TRACE(fmt::format("{} {}, noise {}, temperature {}, early_stop {}, try {}, run {}",
                               settings.schedule, settings.revise, settings.noise,
                               settings.temperature, settings.early_stop, attempt, run));
      const auto other = static_cast<std::uint64_t>(run % 7);  // networks and puzzles
      const auto network = make_network(name, other);
      auto puzzles = decoding::random_puzzles(other, kRows, kLength, settings);
      for (Puzzle& puzzle : puzzles) puzzle.attempt = attempt;
      const std::vector<Outcome> expected = plainly(*network, puzzles);
      for (const c10::Device device : compat::devices())
        EXPECT_EQ(on_tensors(network, puzzles, device), expected) << device;
      if (compat::cuda_available() && settings.decoder == spec::Decoder::kDiffusion) {
        std::vector<Outcome> unseen = expected;
        for (Outcome& outcome : unseen) outcome.seen.clear();
        EXPECT_EQ(on_tensors(network, puzzles, c10::kCUDA, /*observed=*/false), unseen);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Decoders, Agreement,
                         testing::Combine(testing::Values("topk", "margin", "random", "threshold",
                                                          "entropy", "multinomial"),
                                          testing::Values("random", "ties", "oracle")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

// A plain causal network as a model, which remembers what it has read.
class CausalModel : public nn::Model {
 public:
  explicit CausalModel(decoding::CausalNetwork& network)
      : Model({}, nn::Parameters(0)), network_(network) {
    parameters_.add("none", {1}, {});  // says where the model is
  }
  nn::Output forward(const nn::Input&) override { return {}; }
  at::Tensor next_logits(const at::Tensor& tokens, nn::Cache& cache) override {
    read_ = cache.length == 0 ? tokens : at::cat({read_, tokens}, 1);
    cache.length += tokens.size(1);
    const auto vocabulary = static_cast<std::int64_t>(network_.vocabulary());
    at::Tensor logits = at::empty({tokens.size(0), vocabulary}, at::kFloat);
    for (std::int64_t b = 0; b < tokens.size(0); ++b) {
      const Tokens read = to_tokens(read_[b]);
      const auto sequence = network_.start(0);
      const decoding::Reading reading{sequence.get(), read};
      network_.next_logits({&reading, 1}, {logits[b].data_ptr<float>(), network_.vocabulary()});
    }
    return logits;
  }

 private:
  decoding::CausalNetwork& network_;
  at::Tensor read_;
};

TEST(AgreementOfGreedy, OfTokensAndPasses) {
  const spec::DecodingSettings settings = decoding::with_order("greedy");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    decoding::CausalNetwork network(seed, kTestVocabulary);
    CausalModel model(network);
    auto puzzles = decoding::random_puzzles(seed, kRows, kLength, settings);
    for (Puzzle& puzzle : puzzles) puzzle.frozen[0] = 1;
    const Result result = decode_autoregressive(model, to_batch(puzzles, c10::kCPU));
    const std::vector<Outcome> expected = plainly(network, puzzles);
    for (std::size_t b = 0; b < kRows; ++b) {
      EXPECT_EQ(to_tokens(result.tokens[static_cast<std::int64_t>(b)]), expected[b].tokens);
      EXPECT_EQ(result.forward_passes[static_cast<std::int64_t>(b)].item<std::int64_t>(),
                expected[b].passes);
    }
  }
}

}  // namespace
}  // namespace mgdm::engine
