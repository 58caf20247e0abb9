#include "engine/torch_network.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <map>

#include "decoding/test_support.h"
#include "engine/decoding_kernels.h"
#include "engine/load_torch_network.h"
#include "nn/batch_tensors.h"
#include "nn/test_support.h"

namespace mgdm::engine {
namespace {

using decoding::Puzzle;
using decoding::Tokens;
using decoding::TryResult;

// Weights larger than a fresh model's, so that predictions differ from place to place.
std::shared_ptr<nn::Model> small_model(const char* architecture, bool causal) {
  spec::ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.loops = 2;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = 32;
  settings.vocabulary = decoding::kTestVocabulary;
  settings.dropout = 0;
  settings.causal = causal;
  return nn::steady(settings);
}

// A causal network that reads every token anew for every token that it predicts.
class Rereading : public decoding::Network {
 public:
  explicit Rereading(nn::Model& model) : model_(model) {}
  std::size_t vocabulary() const override { return decoding::kTestVocabulary; }
  bool causal() const override { return true; }
  void logits(const decoding::Rows&, std::int64_t, std::span<float>) override {}
  std::unique_ptr<decoding::Sequence> start(std::int64_t) override {
    return std::make_unique<Read>();
  }
  void next_logits(std::span<const decoding::Reading> readings, std::span<float> logits) override {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      Tokens& read = dynamic_cast<Read&>(*readings[i].sequence).tokens;
      read.insert(read.end(), readings[i].tokens.begin(), readings[i].tokens.end());
      nn::Cache cache;
      const at::Tensor said =
          model_.next_logits(nn::tokens_tensor(read, 1, model_.device()), cache).contiguous();
      std::copy_n(said.data_ptr<float>(), vocabulary(),
                  logits.begin() + static_cast<std::ptrdiff_t>(i * vocabulary()));
    }
  }

 private:
  struct Read : decoding::Sequence {
    Tokens tokens;
  };
  nn::Model& model_;
};

// Puzzles that end at different places, some with given tokens between those to predict.
std::vector<Puzzle> greedy_puzzles() {
  auto puzzles = decoding::random_puzzles(5, 12, 20, decoding::with_order("greedy"));
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    std::vector<std::uint8_t>& frozen = puzzles[i].frozen;
    if (i % 2 == 0) frozen.assign(20, 0);
    for (std::size_t n = 0; n < 2 + i % 3; ++n) frozen[n] = 1;
  }
  return puzzles;
}

class TorchNetworks : public testing::TestWithParam<const char*> {};

TEST_P(TorchNetworks, SayWhatTheModelSays) {
  const auto model = small_model(GetParam(), /*causal=*/false);
  for (const bool one_by_one : {false, true}) {
    TorchNetwork network(model, /*bf16=*/false, one_by_one);
    data::Rows rows(3, 9);
    for (std::size_t i = 0; i < rows.tokens.size(); ++i)
      rows.tokens[i] = static_cast<data::Token>(i % decoding::kTestVocabulary);
    for (std::size_t i = 0; i < rows.frozen.size(); i += 4) rows.frozen[i] = 1;
    std::vector<float> logits(3 * 9 * network.vocabulary());
    network.logits({3, 9, rows.tokens, rows.frozen}, /*loops=*/0, logits);
    const nn::TensorRows tensors = nn::tensors_of(rows, model->device());
    const at::Tensor expected =
        predictor_of(*model)(tensors.tokens, tensors.frozen).logits().contiguous();
    for (std::size_t i = 0; i < logits.size(); ++i)
      ASSERT_NEAR(logits[i], expected.data_ptr<float>()[i], 1e-4) << i;
  }
}

TEST_P(TorchNetworks, ReadOnAsIfTheyReadAllAnew) {
  const auto model = small_model(GetParam(), /*causal=*/true);
  Rereading anew(*model);
  const std::vector<TryResult> expected = decode_all(anew, greedy_puzzles());
  for (const bool one_by_one : {false, true}) {
    TorchNetwork network(model, /*bf16=*/false, one_by_one);
    const std::vector<TryResult> got = decode_all(network, greedy_puzzles());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].tokens, expected[i].tokens) << i;
      EXPECT_EQ(got[i].passes, expected[i].passes) << i;
    }
  }
  // Some join later, and some leave early.
  TorchNetwork network(model);
  decoding::Slots slots(network);
  const std::vector<Puzzle> puzzles = greedy_puzzles();
  std::map<decoding::SlotId, TryResult> late;
  for (std::size_t i = 0; i < puzzles.size() || slots.active() > 0; ++i) {
    if (i < puzzles.size()) slots.join({puzzles[i]});
    EXPECT_TRUE(i != 6 || slots.cancel(4) || late.contains(4));
    for (TryResult& result : slots.pass()) late.emplace(result.slot, std::move(result));
  }
  for (std::size_t i = 0; i < puzzles.size(); ++i)
    if (i != 4) {
      EXPECT_EQ(late.at(i).tokens, expected[i].tokens) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, TorchNetworks, testing::Values("gpt2", "looped"),
                         [](const auto& test) { return test.param; });

TEST(TorchNetwork, ComputesInFp32OnTheCpuAndSaysSo) {
  EXPECT_EQ(torch_network(small_model("gpt2", false), /*bf16=*/true).arithmetic, "fp32");
  EXPECT_THROW(load_torch_network("nowhere", {}, {}, {.device = "cpu", .arithmetic = "int8"}),
               UsageError);
}

TEST(TorchNetwork, RefusesAnArithmeticThatItDoesNotHave) {
  EXPECT_NO_THROW(check_arithmetic("auto", /*on_cpu=*/false));
  EXPECT_NO_THROW(check_arithmetic("fp32", /*on_cpu=*/true));
  for (const char* name : {"fp32", "bf16", "int8"})
    EXPECT_THROW(check_arithmetic(name, /*on_cpu=*/false), UsageError) << name;
  EXPECT_THROW(check_arithmetic("bf16", /*on_cpu=*/true), UsageError);
}

}  // namespace
}  // namespace mgdm::engine
