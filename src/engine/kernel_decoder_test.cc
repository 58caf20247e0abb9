// Joining and leaving on any device, with a rule of decoding in place of the kernels; and the
// kernels on a GPU, beside the plain decoders.
#include "engine/kernel_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "compat/device.h"
#include "decoding/test_support.h"
#include "engine/decoding_kernels.h"

namespace mgdm::engine {
namespace {

using decoding::kTestVocabulary;
using decoding::Puzzle;
using decoding::SlotId;
using decoding::Tokens;
using decoding::Try;
using decoding::TryResult;

using Results = std::map<SlotId, TryResult>;

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

// Remembers how many rows and states it was asked about.
struct Asked {
  std::vector<std::int64_t> rows, states;
};

// Shows one position in each pass, the first that is masked: the likeliest token plus the number of
// the try. A row is finished when nothing is masked. With `fails` it throws.
class OneByOne : public KernelDecoder {
 public:
  OneByOne(KernelNetwork network, bool fails = false)
      : KernelDecoder(std::move(network)), fails_(fails) {}

 protected:
  bool has_kernel(std::int64_t) const override { return true; }
  void decide(const nn::Prediction& prediction, const ops::DecodingRule&,
              const ops::DecodingTry& now, const ops::DecodingRows& rows,
              const at::Tensor& places) const override {
    if (fails_) throw Error("the device is gone");
    const at::Tensor logits = prediction.logits();
    for (std::int64_t b = 0; b < rows.tokens.size(0); ++b) {
      if (!rows.active[b].item<bool>()) continue;
      rows.passes[b] += 1;
      std::int64_t masked = 0;
      for (std::int64_t n = rows.tokens.size(1) - 1; n >= 0; --n)
        if (rows.tokens[b][n].item<std::int64_t>() == data::kMask) masked = n;
      const at::Tensor said =
          places.defined() ? logits[places[b][masked].item<std::int64_t>()] : logits[b][masked];
      const auto attempt = now.first_draw[b].item<std::int64_t>() / decoding::kPassesPerTry;
      rows.tokens[b][masked] = said.argmax().item<std::int64_t>() + attempt;
      rows.active[b] = rows.tokens[b].eq(std::int64_t{data::kMask}).any().item<bool>();
    }
  }

 private:
  bool fails_;
};

// Says of every position a token that depends on its row's first token and its place.
KernelNetwork told_by_first_token(Asked& asked, bool heeds_wanted = false) {
  KernelNetwork network{.device = c10::Device(c10::kCPU), .vocabulary = 64};
  network.heeds_wanted = heeds_wanted;
  network.predictor = [&asked](std::int64_t, const at::Tensor& wanted) -> Predictor {
    return [&asked, wanted](const at::Tensor& tokens, const at::Tensor&) -> nn::Prediction {
      asked.rows.push_back(tokens.size(0));
      const at::Tensor token =
          (tokens.slice(1, 0, 1) * 3 + at::arange(tokens.size(1), tokens.options())) % 40 + 10;
      at::Tensor logits = at::zeros({tokens.size(0), tokens.size(1), 64});
      logits.scatter_(2, token.unsqueeze(2), 1);
      asked.states.push_back(wanted.defined() ? wanted.size(0) : 0);
      if (!wanted.defined()) return logits;
      // Hidden states that are their own logits.
      return {logits.flatten(0, 1).index_select(0, wanted), at::eye(64), /*shift=*/false};
    };
  };
  return network;
}

// `open` positions of `length` are to be found.
Try puzzle_of(data::Token first, std::size_t length, std::size_t open, std::int64_t attempt = 0) {
  Try one;
  one.puzzle.tokens.assign(length, first);
  one.puzzle.frozen.assign(length, 1);
  for (std::size_t n = 0; n < open; ++n) one.puzzle.frozen[length - 1 - n] = 0;
  one.puzzle.attempt = attempt;
  one.puzzle.settings.order = "random";
  return one;
}

Tokens answer_to(const Try& one) {
  Tokens tokens = one.puzzle.tokens;
  for (std::size_t n = 0; n < tokens.size(); ++n)
    if (!one.puzzle.frozen[n])
      tokens[n] = static_cast<data::Token>((one.puzzle.tokens[0] * 3 + n) % 40 + 10 +
                                           static_cast<std::size_t>(one.puzzle.attempt));
  return tokens;
}

TEST(KernelDecoder, PuzzlesJoinAndLeaveBetweenPasses) {
  Asked asked;
  OneByOne decoder(told_by_first_token(asked));
  std::map<SlotId, Try> tries;
  Results results;
  SlotId next = 0;
  const auto join = [&](Try one) {
    tries.emplace(next, one);
    decoder.join(next++, std::move(one));
  };
  for (data::Token i = 0; i < 6; ++i) join(puzzle_of(5 + i, 12, 1 + 2 * i));
  for (int pass = 0; decoder.active() > 0; ++pass) {
    ASSERT_LT(pass, 40);
    if (pass == 1)  // other tries of the same kind
      for (data::Token i = 0; i < 3; ++i) join(puzzle_of(20 + i, 12, 4 + i, /*attempt=*/i));
    if (pass == 2) join(puzzle_of(30, 9, 3));  // another kind, which waits
    for (TryResult& result : decoder.pass()) results.emplace(result.slot, std::move(result));
  }
  ASSERT_EQ(results.size(), tries.size());
  for (const auto& [slot, one] : tries) {
    EXPECT_FALSE(results.at(slot).error);
    EXPECT_EQ(results.at(slot).tokens, answer_to(one)) << slot;
    EXPECT_EQ(results.at(slot).passes, std::ranges::count(one.puzzle.frozen, std::uint8_t{0}))
        << slot;
  }
  EXPECT_EQ(asked.rows.front(), 6);
  EXPECT_LE(std::ranges::min(asked.rows), 4);  // fewer rows as puzzles leave
}

TEST(KernelDecoder, ARowWithoutAnythingToDecodeTakesNoPass) {
  Asked asked;
  OneByOne decoder(told_by_first_token(asked));
  decoder.join(3, puzzle_of(5, 10, 0));
  decoder.join(4, puzzle_of(6, 10, 2));
  Results results;
  while (decoder.active() > 0)
    for (TryResult& result : decoder.pass()) results.emplace(result.slot, std::move(result));
  EXPECT_EQ(results.at(3).passes, 0);
  EXPECT_EQ(results.at(3).tokens, Tokens(10, 5));
  EXPECT_EQ(results.at(4).passes, 2);
}

TEST(KernelDecoder, CancelsInLineAndInTheBatch) {
  Asked asked;
  OneByOne decoder(told_by_first_token(asked));
  for (SlotId slot = 0; slot < 4; ++slot) decoder.join(slot, puzzle_of(5, 20, 12));
  EXPECT_TRUE(decoder.cancel(1));
  EXPECT_TRUE(decoder.pass().empty());
  EXPECT_TRUE(decoder.cancel(2));
  EXPECT_FALSE(decoder.cancel(2));
  EXPECT_FALSE(decoder.cancel(9));
  EXPECT_EQ(decoder.active(), 2u);
  Results results;
  while (decoder.active() > 0)
    for (TryResult& result : decoder.pass()) results.emplace(result.slot, std::move(result));
  EXPECT_EQ(results.size(), 2u);
  EXPECT_TRUE(results.contains(0) && results.contains(3));
  decoder.join(5, puzzle_of(5, 20, 12));
  decoder.pass();
  EXPECT_TRUE(decoder.cancel(5));
  EXPECT_EQ(decoder.active(), 0u);
}

TEST(KernelDecoder, AnErrorEndsItsBatchAlone) {
  Asked asked;
  OneByOne decoder(told_by_first_token(asked), /*fails=*/true);
  decoder.join(0, puzzle_of(5, 20, 12));
  decoder.join(1, puzzle_of(5, 12, 3));
  const std::vector<TryResult> failed = decoder.pass();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].slot, 0u);
  EXPECT_THROW(std::rethrow_exception(failed[0].error), Error);
  EXPECT_EQ(decoder.active(), 1u);
  EXPECT_EQ(decoder.pass().at(0).slot, 1u);
}

TEST(KernelDecoder, LargeBatchesNeedOnlyTheStatesOfWhatIsDecoded) {
  Asked asked;
  OneByOne decoder(told_by_first_token(asked, /*heeds_wanted=*/true));
  std::map<SlotId, Try> tries;
  for (SlotId slot = 0; slot < 300; ++slot) {
    const Try one = puzzle_of(static_cast<data::Token>(5 + slot % 30), 30, 1 + slot % 5);
    tries.emplace(slot, one);
    decoder.join(slot, one);
  }
  Results results;
  while (decoder.active() > 0)
    for (TryResult& result : decoder.pass()) results.emplace(result.slot, std::move(result));
  for (const auto& [slot, one] : tries) EXPECT_EQ(results.at(slot).tokens, answer_to(one)) << slot;
  EXPECT_GT(asked.states.front(), 0);
  EXPECT_LT(asked.states.front(), 300 * 30 / 4);
}

TEST(KernelDecoder, LeavesToThePlainDecodersWhatItCannotDo) {
  Asked asked;
  const OneByOne decoder(told_by_first_token(asked));
  const Try one = puzzle_of(5, 10, 2);
  EXPECT_TRUE(decoder.takes(one));
  Try watched = one, unknown = one, greedy = one, other_tokens = one, endless = one;
  watched.observer = [](const decoding::Step&) { return true; };
  unknown.puzzle.settings.order = "an order without a kernel";
  greedy.puzzle.settings.decoder = decoding::Decoder::kLeftToRight;
  other_tokens.puzzle.specials.mask = 40;
  endless.puzzle.settings.steps = 1'000'000;
  for (const Try& each : {watched, unknown, greedy, other_tokens, endless})
    EXPECT_FALSE(decoder.takes(each));
  EXPECT_FALSE(KernelDecoder(told_by_first_token(asked)).takes(one));  // no kernels on a CPU
}

// --- on a GPU ---

// A plain network as one on tensors: it computes on the CPU, wherever the tensors are.
KernelNetwork on_device(decoding::Network& plain) {
  KernelNetwork network{.device = c10::Device(c10::kCUDA, 0),
                        .vocabulary = static_cast<std::int64_t>(plain.vocabulary())};
  network.recorded = false;
  network.predictor = [&plain](std::int64_t loops, const at::Tensor&) -> Predictor {
    return [&plain, loops](const at::Tensor& tokens, const at::Tensor& frozen) -> nn::Prediction {
      const auto rows = static_cast<std::size_t>(tokens.size(0)),
                 length = static_cast<std::size_t>(tokens.size(1));
      const Tokens here = nn::tokens_of(tokens.view(-1));
      const at::Tensor given = frozen.to(at::kByte).cpu().contiguous();
      at::Tensor logits = at::zeros(
          {tokens.size(0), tokens.size(1), static_cast<std::int64_t>(plain.vocabulary())});
      plain.logits({rows, length, here, {given.data_ptr<std::uint8_t>(), here.size()}}, loops,
                   {logits.data_ptr<float>(), static_cast<std::size_t>(logits.numel())});
      return logits.to(tokens.device());
    };
  };
  return network;
}

Results decoded(KernelDecoder& decoder, const std::vector<Puzzle>& puzzles) {
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    EXPECT_TRUE(decoder.takes({puzzles[i]}));
    decoder.join(i, {puzzles[i]});
  }
  Results results;
  while (decoder.active() > 0)
    for (TryResult& result : decoder.pass()) {
      if (result.error) std::rethrow_exception(result.error);
      results.emplace(result.slot, std::move(result));
    }
  return results;
}

// Every combination of what an order listens to, and of what it should not listen to.
std::vector<decoding::DecodingSettings> all_settings(const std::string& order) {
  std::vector<decoding::DecodingSettings> all;
  for (const char* schedule : {"linear", "cosine"})
    for (const char* revise : {"on", "remask", "off", "auto"})
      for (const double noise : {0.0, 0.5})
        for (const double temperature : {0.0, 0.7, 1.0})
          for (const bool early_stop : {false, true}) {
            decoding::DecodingSettings settings = decoding::with_order(order, 5);
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

class OnAGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(5);
  }
};

// Predictions may differ in their last bits, and so would a choice between scores that nearly tie:
// logits spread wide enough that none of these cases has one.
class KernelAgreement : public OnAGpu, public testing::WithParamInterface<std::string> {};

TEST_P(KernelAgreement, OfTokensAndPassesWithThePlainDecoder) {
  std::int64_t run = 0;
  for (decoding::DecodingSettings settings : all_settings(GetParam()))
    for (const std::size_t distinct : {0u, 3u}) {  // with ties, too
      settings.seed = ++run << 28;                 // both words of the key
      SCOPED_TRACE(fmt::format("{} {}, noise {}, temperature {}, early_stop {}, run {}",
                               settings.schedule, settings.revise, settings.noise,
                               settings.temperature, settings.early_stop, run));
      const auto other = static_cast<std::uint64_t>(run % 7);  // networks and puzzles
      decoding::FunctionNetwork network =
          decoding::random_network(other, kTestVocabulary, 6, distinct);
      auto puzzles = decoding::random_puzzles(other, 5, 11, settings);
      for (std::size_t i = 0; i < puzzles.size(); ++i)
        puzzles[i].attempt = settings.stochastic() ? static_cast<std::int64_t>(i) % 3 : 0;
      KernelDecoder decoder(on_device(network));
      const Results got = decoded(decoder, puzzles);
      const std::vector<TryResult> expected = decode_all(network, puzzles);
      for (std::size_t i = 0; i < puzzles.size(); ++i) {
        EXPECT_EQ(got.at(i).tokens, expected[i].tokens);
        EXPECT_EQ(got.at(i).passes, expected[i].passes);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, KernelAgreement,
                         testing::Values("topk", "margin", "random", "threshold", "entropy"),
                         [](const auto& test) { return test.param; });

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

KernelNetwork of_predictor(const Predictor& predict, std::int64_t vocabulary = kTextVocabulary) {
  KernelNetwork network{.device = c10::Device(c10::kCUDA, 0), .vocabulary = vocabulary};
  network.predictor = [predict](std::int64_t, const at::Tensor&) { return predict; };
  return network;
}

std::vector<Puzzle> text_puzzles(std::size_t rows, const char* order, const char* revise,
                                 bool early_stop) {
  decoding::DecodingSettings settings;
  settings.order = order;
  settings.revise = revise;
  settings.early_stop = early_stop;
  settings.threshold = 0.7;
  return decoding::random_puzzles(rows, static_cast<std::uint32_t>(rows), kTextLength, settings);
}

void expect_same(const Results& got, const Results& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [slot, result] : expected) {
    EXPECT_EQ(got.at(slot).tokens, result.tokens);
    EXPECT_EQ(got.at(slot).passes, result.passes);
  }
}

// The first call warms up and records, later ones replay; sizes and settings take turns.
TEST_F(OnAGpu, RecordedPassesAreThoseThatAreNot) {
  const Predictor predict = lookup_states(false);
  KernelNetwork plain = of_predictor(predict);
  plain.recorded = false;
  KernelDecoder recorded(of_predictor(predict)), each(plain);
  for (int turn = 0; turn < 3; ++turn)
    for (const char* order : {"topk", "margin", "entropy"})
      for (const bool early_stop : {false, true})
        for (const std::size_t rows : {1u, 70u}) {
          const auto puzzles = text_puzzles(rows, order, "on", early_stop);
          expect_same(decoded(recorded, puzzles), decoded(each, puzzles));
        }
}

TEST_F(OnAGpu, KernelsApplyTheHeadThemselves) {
  // As many tokens as warps share out in one turn (128), fewer, and more.
  for (const auto& [shift, vocabulary] :
       {std::pair{false, kTextVocabulary}, {true, kTextVocabulary}, {false, 128}, {false, 341}}) {
    SCOPED_TRACE(testing::Message() << shift << " " << vocabulary);
    const Predictor states = lookup_states(shift, at::kBFloat16, vocabulary);
    const Predictor logits = [&](const at::Tensor& tokens, const at::Tensor& frozen) {
      return nn::Prediction(states(tokens, frozen).logits());
    };
    KernelDecoder by_states(of_predictor(states, vocabulary)),
        by_logits(of_predictor(logits, vocabulary));
    const auto puzzles = text_puzzles(70, "topk", "on", false);
    expect_same(decoded(by_states, puzzles), decoded(by_logits, puzzles));
  }
}

// With and without a kernel that finds them.
TEST_F(OnAGpu, OnlyTheStatesOfWhatIsDecodedAreNeeded) {
  for (const bool shift : {false, true})
    for (const auto type : {at::kBFloat16, at::kFloat})
      for (const bool early_stop : {false, true}) {
        SCOPED_TRACE(testing::Message() << shift << type << early_stop);
        const Predictor all = lookup_states(shift, type);
        KernelNetwork network = of_predictor(all);
        network.heeds_wanted = true;
        network.shift = shift;
        std::int64_t fewest = 0;
        network.predictor = [&](std::int64_t, const at::Tensor& wanted) -> Predictor {
          if (!wanted.defined()) return all;
          fewest = wanted.size(0);
          return [&all, wanted](const at::Tensor& tokens, const at::Tensor& frozen) {
            const nn::Prediction full = all(tokens, frozen);
            return nn::Prediction(full.hidden().flatten(0, 1).index_select(0, wanted), full.head(),
                                  full.shift());
          };
        };
        KernelDecoder few(network), every(of_predictor(all));
        for (int turn = 0; turn < 3; ++turn) {
          const auto puzzles = text_puzzles(800, "topk", "on", early_stop);
          expect_same(decoded(few, puzzles), decoded(every, puzzles));
        }
        EXPECT_GT(fewest, 0) << "all states were computed";
      }
}

// A network gone wrong gives no answer, but what it gives are tokens.
TEST_F(OnAGpu, LogitsThatAreNaNGiveTokens) {
  const Predictor nothing = [](const at::Tensor& tokens, const at::Tensor&) {
    return nn::Prediction(at::full({tokens.size(0), tokens.size(1), kTextVocabulary},
                                   std::numeric_limits<double>::quiet_NaN(),
                                   tokens.options().dtype(at::kFloat)));
  };
  KernelDecoder decoder(of_predictor(nothing));
  for (const char* order : {"topk", "margin", "entropy"})
    for (const auto& [slot, result] : decoded(decoder, text_puzzles(3, order, "on", false)))
      for (const data::Token token : result.tokens) EXPECT_LT(token, kTextVocabulary) << order;
}

// A pass from hidden states chooses what a pass from their logits does, which are exact here.
TEST_F(OnAGpu, KernelsApplyHeadsOfEverySize) {
  constexpr std::int64_t kPuzzleRows = 40;
  struct Sizes {
    std::int64_t length, vocabulary, width;
  };
  const auto device = at::TensorOptions().device(at::kCUDA);
  const auto longs = device.dtype(at::kLong);
  decoding::DecodingSettings settings;
  settings.revise = "on";
  settings.steps = 3;
  const ops::DecodingRule rule = rule_of(settings).value();
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
      const ops::DecodingTry now{at::zeros({kPuzzleRows}, longs),
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

}  // namespace
}  // namespace mgdm::engine
