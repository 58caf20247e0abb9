// The decoder for GPUs with networks whose work a CUDA graph can hold: recorded, replayed, and with
// fewer rows as they finish. agreement_test.cc holds its choices to the plain decoder's.
#include "engine/device_decoding.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compat/device.h"
#include "engine/diffusion.h"

namespace mgdm::engine {
namespace {

constexpr std::int64_t kTextLength = 23, kTextVocabulary = 37;

// What stands in a table for each position, by its token and its row's sum: the same for a row in
// any batch.
constexpr std::int64_t kEntries = 4096;
at::Tensor looked_up(const at::Tensor& table, const at::Tensor& tokens) {
  const at::Tensor entry = (tokens * 17 + tokens.sum(1, /*keepdim=*/true) * 7 +
                            at::arange(kTextLength, tokens.options()) * 131) %
                           kEntries;
  return table.index_select(0, entry.view(-1)).view({-1, kTextLength, table.size(1)});
}

Network lookup_network(double scale) {
  const auto device = at::TensorOptions().device(at::kCUDA);
  const at::Tensor table = at::randn({kEntries, kTextVocabulary}, device) * scale;
  return [table](const at::Tensor& tokens, const at::Tensor&) { return looked_up(table, tokens); };
}

Predictor lookup_states(bool shift, at::ScalarType type = at::kBFloat16,
                        std::int64_t vocabulary = kTextVocabulary) {
  constexpr std::int64_t kWidth = 48;
  const auto device = at::TensorOptions().device(at::kCUDA);
  const at::Tensor table = at::randn({kEntries, kWidth}, device.dtype(type));
  const at::Tensor head = at::randn({vocabulary, kWidth}, device);
  return [table, head, shift](const at::Tensor& tokens, const at::Tensor&) {
    return nn::Prediction(looked_up(table, tokens), head, shift);
  };
}

Batch some_batch(std::int64_t rows) {
  const auto device = at::TensorOptions().device(at::kCUDA);
  return {at::randint(9, kTextVocabulary, {rows, kTextLength}, device.dtype(at::kLong)),
          at::randn({rows, kTextLength}, device) > 0.5,
          at::randint(0, 1 << 20, {rows}, device.dtype(at::kLong))};
}

spec::DecodingSettings settings_of(const char* order, const char* revise, bool early_stop) {
  spec::DecodingSettings settings;
  settings.order = order;
  settings.revise = revise;
  settings.early_stop = early_stop;
  settings.threshold = 0.7;
  return settings;
}

TEST(Recent, ForgetsTheOldest) {
  struct Made {
    Made(int of, int& count) : number(of) { ++count; }
    int number;
  };
  int made = 0;
  Recent<Made, 3> recent;
  const auto get = [&](int number) {
    return recent.get([&](const Made& each) { return each.number == number; }, number, made).number;
  };
  for (int turn = 0; turn < 2; ++turn)
    for (const int number : {1, 2, 3}) EXPECT_EQ(get(number), number);
  EXPECT_EQ(made, 3);
  get(1);
  get(4);  // 2 is the oldest
  get(1);
  get(3);
  EXPECT_EQ(made, 4);
  get(2);
  EXPECT_EQ(made, 5);
}

class DeviceDecodings : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(5);
  }
};

TEST_F(DeviceDecodings, GiveWhatPassesOneByOneGive) {
  const Network network = lookup_network(6);
  DeviceDecoding decoding([&](const spec::DecodingSettings&) { return network; });
  const std::vector<spec::DecodingSettings> all{
      settings_of("topk", "on", false), settings_of("topk", "on", true),
      settings_of("margin", "off", false), settings_of("threshold", "off", false),
      settings_of("entropy", "off", true)};
  bool rows_ended_apart = false;
  // The first call warms up and records, later ones replay; sizes and settings take turns.
  for (int turn = 0; turn < 3; ++turn)
    for (const spec::DecodingSettings& settings : all)
      for (const std::int64_t rows : {1, 70}) {
        SCOPED_TRACE(testing::Message() << settings.order << " " << rows << " turn " << turn);
        Batch batch = some_batch(rows);
        batch.attempt = turn;
        ASSERT_TRUE(DeviceDecoding::takes(batch, settings, kTextVocabulary));
        const Result expected = decode(network, batch, settings);
        const Result got = decoding.decode(batch, settings);
        EXPECT_TRUE(at::equal(got.tokens, expected.tokens));
        EXPECT_TRUE(at::equal(got.forward_passes, expected.forward_passes));
        rows_ended_apart |= got.forward_passes.min().item<std::int64_t>() <
                            got.forward_passes.max().item<std::int64_t>();
      }
  EXPECT_TRUE(rows_ended_apart) << "nothing was tested of rows that finish early";
}

TEST_F(DeviceDecodings, ApplyTheHeadThemselves) {
  // As many tokens as warps share out in one turn (128), fewer, and more.
  for (const auto& [shift, vocabulary] :
       {std::pair{false, kTextVocabulary}, {true, kTextVocabulary}, {false, 128}, {false, 341}}) {
    const Predictor predict = lookup_states(shift, at::kBFloat16, vocabulary);
    const Network network = [&](const at::Tensor& tokens, const at::Tensor& frozen) {
      const at::NoGradGuard no_grad;
      return predict(tokens, frozen).logits();
    };
    DeviceDecoding decoding([&](const spec::DecodingSettings&) { return predict; });
    for (const std::int64_t rows : {1, 70}) {
      SCOPED_TRACE(testing::Message() << shift << " " << vocabulary << " " << rows);
      const Batch batch = some_batch(rows);
      const spec::DecodingSettings settings = settings_of("topk", "on", false);
      EXPECT_TRUE(at::equal(decoding.decode(batch, settings).tokens,
                            decode(network, batch, settings).tokens));
    }
  }
}

// Of large batches only those states are computed that say something; with and without a kernel
// that finds them.
TEST_F(DeviceDecodings, NeedOnlyTheStatesOfWhatIsDecoded) {
  for (const bool shift : {false, true})
    for (const auto type : {at::kBFloat16, at::kFloat})
      for (const bool early_stop : {false, true}) {
        SCOPED_TRACE(testing::Message() << shift << type << early_stop);
        const Predictor all = lookup_states(shift, type);
        std::int64_t fewest = 0;
        const auto make = [&](const spec::DecodingSettings&,
                              const at::Tensor& wanted) -> Predictor {
          fewest = wanted.size(0);
          return [&all, wanted](const at::Tensor& tokens, const at::Tensor& frozen) {
            const nn::Prediction full = all(tokens, frozen);
            return nn::Prediction(full.hidden().flatten(0, 1).index_select(0, wanted), full.head(),
                                  full.shift());
          };
        };
        const auto make_all = [&](const spec::DecodingSettings&) { return all; };
        DeviceDecoding few(make_all, true, {}, {.shift = shift, .make = make}), every(make_all);
        for (int turn = 0; turn < 3; ++turn) {
          const Batch batch = some_batch(800);
          const spec::DecodingSettings settings = settings_of("topk", "on", early_stop);
          const Result got = few.decode(batch, settings), expected = every.decode(batch, settings);
          EXPECT_TRUE(at::equal(got.tokens, expected.tokens)) << turn;
          EXPECT_TRUE(at::equal(got.forward_passes, expected.forward_passes)) << turn;
        }
        EXPECT_GT(fewest, 0) << "all states were computed";
      }
}

// A pass from hidden states chooses what a pass from their logits does, which are exact here.
TEST_F(DeviceDecodings, ApplyHeadsOfEverySize) {
  constexpr std::int64_t kPuzzleRows = 40;
  struct Sizes {
    std::int64_t length, vocabulary, width;
  };
  const auto device = at::TensorOptions().device(at::kCUDA);
  const auto longs = device.dtype(at::kLong);
  spec::DecodingSettings settings = settings_of("topk", "on", false);
  settings.steps = 3;
  const ops::DecodingRule rule = rule_of(settings);
  for (const Sizes s : {Sizes{64, 31, 384},
                        {1, 12, 16},
                        {33, 31, 48},
                        {81, 12, 256},
                        {20, 60, 768},
                        {40, 100, 384},
                        {45, 200, 128},
                        {37, 31, 1040},
                        {50, 80, 1536}})
    for (const bool shift : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << s.length << " x " << s.vocabulary << " x " << s.width << " " << shift);
      const at::Tensor hidden =
          at::randn({kPuzzleRows, s.length, s.width}, device.dtype(at::kBFloat16));
      const at::Tensor head = at::randn({s.vocabulary, s.width}, device) *
                              (2 / std::sqrt(static_cast<double>(s.width)));
      const at::Tensor logits =
          nn::Prediction(hidden.to(at::kDouble), head.to(at::kDouble), shift).logits();
      const at::Tensor shown = at::randint(9, s.vocabulary, {kPuzzleRows, s.length}, longs);
      const at::Tensor frozen = at::randn({kPuzzleRows, s.length}, device) > 0.5;
      const ops::DecodingTry now{at::zeros({}, longs),
                                 masked_counts(settings, s.length).to(at::kCUDA)};
      const auto rows = [&] {
        return ops::DecodingRows{shown.clone(),
                                 frozen,
                                 at::arange(kPuzzleRows, longs),
                                 at::zeros_like(shown),
                                 at::zeros({kPuzzleRows}, longs),
                                 frozen.logical_not().any(1)};
      };
      const ops::DecodingRows got = rows(), expected = rows();
      ASSERT_TRUE(ops::decoding_pass(hidden, head, shift, rule, now, got));
      ops::decoding_pass(logits.to(at::kFloat), rule, now, expected);
      EXPECT_TRUE(at::equal(got.tokens, expected.tokens));
      EXPECT_TRUE(at::equal(got.active, expected.active));
    }
}

// A network gone wrong gives no answer, but what it gives are tokens.
TEST_F(DeviceDecodings, GiveTokensWhereAllLogitsAreNaN) {
  const Network network = [](const at::Tensor& tokens, const at::Tensor&) {
    return at::full({tokens.size(0), tokens.size(1), kTextVocabulary},
                    std::numeric_limits<double>::quiet_NaN(), tokens.options().dtype(at::kFloat));
  };
  DeviceDecoding decoding([&](const spec::DecodingSettings&) { return network; });
  for (const char* order : {"topk", "margin", "entropy"}) {
    const Result got = decoding.decode(some_batch(3), settings_of(order, "on", false));
    EXPECT_GE(got.tokens.min().item<std::int64_t>(), 0) << order;
    EXPECT_LT(got.tokens.max().item<std::int64_t>(), kTextVocabulary) << order;
  }
}

TEST_F(DeviceDecodings, LeaveRowsWithoutAnythingToDecode) {
  const Network network = lookup_network(6);
  DeviceDecoding decoding([&](const spec::DecodingSettings&) { return network; });
  Batch batch = some_batch(3);
  batch.frozen.select(0, 1).fill_(true);
  const Result got = decoding.decode(batch, settings_of("topk", "on", false));
  EXPECT_EQ(got.forward_passes[1].item<std::int64_t>(), 0);
  EXPECT_TRUE(at::equal(got.tokens[1], batch.tokens[1]));
  EXPECT_EQ(got.forward_passes[2].item<std::int64_t>(), 20);
}

}  // namespace
}  // namespace mgdm::engine
