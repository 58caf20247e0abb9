#include "runtime/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "formats/floats.h"
#include "formats/test_support.h"
#include "runtime/architectures.h"
#include "runtime/test_support.h"
#include "spec/tensors.h"

namespace mgdm::runtime {
namespace {

using formats::TemporaryFolder;
using vectors::on_every_target;

using spec::ModelSettings;

ModelSettings small(const std::string& architecture) {
  ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.heads = 3;
  settings.width = 21;  // odd on purpose
  settings.positions = 40;
  settings.loops = 3;
  settings.vocabulary = 11;
  settings.causal = settings.shift = false;
  return settings;
}

std::vector<ModelSettings> all_kinds() {
  std::vector<ModelSettings> list;
  for (const char* architecture : {"gpt2", "looped"})
    for (const bool shift : {false, true}) {
      ModelSettings settings = small(architecture);
      settings.shift = shift;
      list.push_back(settings);
    }
  ModelSettings causal = small("gpt2");
  causal.causal = causal.shift = true;
  list.push_back(causal);
  causal.architecture = "looped";
  list.push_back(causal);
  causal.loop_norm = true;
  list.push_back(causal);
  ModelSettings given = small("looped");
  given.frozen_embedding = true;
  list.push_back(given);
  given.loop_norm = true;
  given.loops = 1;
  given.heads = 1;
  list.push_back(given);
  ModelSettings wide = small("gpt2");
  wide.width = 72;
  wide.heads = 2;  // heads wider than a panel
  list.push_back(wide);
  return list;
}

std::string text_of(const ModelSettings& settings) {
  return settings.architecture + (settings.causal ? " causal" : "") +
         (settings.shift ? " shift" : "") + (settings.frozen_embedding ? " given" : "") +
         (settings.loop_norm ? " loop_norm" : "") + " width " + std::to_string(settings.width);
}

struct Model {
  explicit Model(const ModelSettings& settings, int threads = 2)
      : Model(settings, random_weights(settings), threads) {}
  Model(const ModelSettings& settings, const Numbers& weights, int threads)
      : slow(settings, weights) {
    write_weights(folder.path(), settings, weights);
    network = load_network(folder.path(), settings, {.threads = threads});
  }

  TemporaryFolder folder;
  ScalarTransformer slow;
  std::unique_ptr<decoding::Network> network;
};

struct RandomRows {
  RandomRows(std::size_t count, std::size_t length, std::uint32_t vocabulary) {
    Stream random(2, Purpose::kTest, 0);
    for (std::size_t i = 0; i < count * length; ++i) {
      tokens.push_back(random.below(vocabulary));
      frozen.push_back(static_cast<std::uint8_t>(random.below(2)));
    }
    view = {count, length, tokens, frozen};
  }

  std::vector<data::Token> tokens;
  std::vector<std::uint8_t> frozen;
  decoding::Rows view;
};

std::vector<float> logits_of(decoding::Network& network, const RandomRows& rows,
                             std::int64_t loops) {
  std::vector<float> logits(rows.tokens.size() * network.vocabulary());
  network.logits(rows.view, loops, logits);
  return logits;
}

TEST(Network, LogitsAreThoseOfPlainLoops) {
  for (const ModelSettings& settings : all_kinds()) {
    SCOPED_TRACE(text_of(settings));
    const Model model(settings);
    ASSERT_EQ(model.network->vocabulary(), 11u);
    ASSERT_EQ(model.network->causal(), settings.causal);
    for (const std::int64_t loops : {0, 5}) {
      const RandomRows rows(3, 17, 11);
      const std::vector<float> logits = logits_of(*model.network, rows, loops);
      for (std::size_t b = 0; b < 3; ++b) {
        const auto expected = model.slow.logits(std::span(rows.tokens).subspan(b * 17, 17),
                                                std::span(rows.frozen).subspan(b * 17, 17), loops);
        for (std::size_t n = 0; n < 17; ++n)
          for (std::size_t v = 0; v < 11; ++v)
            ASSERT_NEAR(logits[(b * 17 + n) * 11 + v], expected[n][v], 2e-5) << b << ", " << n;
      }
    }
  }
}

// Also on processors of twenty years ago: nothing but SSE4, or nothing at all.
TEST(Network, LogitsAreThoseOfPlainLoopsOnEveryInstructionSet) {
  on_every_target([] {
    for (const char* architecture : {"gpt2", "looped"}) {
      const ModelSettings settings = small(architecture);
      const Model model(settings);
      const RandomRows rows(2, 17, 11);
      const std::vector<float> logits = logits_of(*model.network, rows, 0);
      for (std::size_t b = 0; b < 2; ++b) {
        const auto expected = model.slow.logits(std::span(rows.tokens).subspan(b * 17, 17),
                                                std::span(rows.frozen).subspan(b * 17, 17), 0);
        for (std::size_t n = 0; n < 17; ++n)
          for (std::size_t v = 0; v < 11; ++v)
            ASSERT_NEAR(logits[(b * 17 + n) * 11 + v], expected[n][v], 2e-5) << b << ", " << n;
      }
    }
  });
}

// With weights that bf16 holds exactly, logits differ from fp32 only by the rounding of
// activations.
TEST(Network, OtherArithmeticIsNearFp32) {
  for (const ModelSettings& settings : all_kinds()) {
    SCOPED_TRACE(text_of(settings));
    Numbers weights = random_weights(settings);
    for (auto& [name, numbers] : weights)
      for (float& number : numbers) number = formats::float_of_bf16(formats::bf16_of(number));
    const TemporaryFolder folder;
    write_weights(folder.path(), settings, weights);
    const RandomRows rows(3, 17, 11);
    const auto logits_in = [&](Arithmetic arithmetic) {
      const auto network =
          load_network(folder.path(), settings, {.threads = 2, .arithmetic = arithmetic});
      return logits_of(*network, rows, 0);
    };
    const std::vector<float> exact = logits_in(Arithmetic::kFp32);
    const auto distance = [&](const std::vector<float>& other) {
      double error = 0, size = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        error += std::pow(static_cast<double>(other[i] - exact[i]), 2);
        size += std::pow(static_cast<double>(exact[i]), 2);
      }
      return std::sqrt(error / size);
    };
    // A rounding in bf16 is 2^-9 of a number, one in int8 1/254 of the largest of a row; a few
    // dozen products follow each other.
    EXPECT_LT(distance(logits_in(Arithmetic::kBf16)), 0.02);
    EXPECT_LT(distance(logits_in(Arithmetic::kInt8)), 0.15);
  }
}

// For tests that ask how many there are.
Numbers even_weights(const ModelSettings& settings) {
  Numbers weights;
  for (const spec::TensorSpec& tensor : spec::tensors_of(settings))
    weights[tensor.name].resize(count_of(tensor), 0.5f);
  return weights;
}

// In memory, all weights.
std::size_t bytes_of(const Transformer& network) {
  const auto norm = [](const Norm& some) { return some.weight.bytes() + some.bias.bytes(); };
  const auto linear = [](const Linear& some) { return some.weight.bytes() + some.bias.bytes(); };
  std::size_t all = network.token_table.bytes() + network.position_table.bytes() +
                    network.given_table.bytes() + norm(network.last_norm) + linear(network.head);
  for (const Block& block : network.blocks)
    all += norm(block.before_attention) + linear(block.qkv) + linear(block.projection) +
           norm(block.before_mlp) + linear(block.up) + linear(block.down);
  return all;
}

// At most 1.2 times the weights, whatever they are stored in; activations come apart.
TEST(Network, HoldsItsWeightsOnce) {
  ModelSettings planning = small("looped");  // models/quick-planning-mgdm
  planning.width = 128;
  planning.heads = 4;
  planning.vocabulary = 31;
  ModelSettings tiny = small("gpt2");  // the paper's 6M, fewer layers
  tiny.width = 384;
  tiny.heads = 12;
  tiny.positions = 64;
  tiny.vocabulary = 31;
  ModelSettings wordy = small("gpt2");  // like those that know words: more tokens than anything
  wordy.width = 64;
  wordy.heads = 4;
  wordy.vocabulary = 5000;
  for (const ModelSettings& settings : {planning, tiny, wordy}) {
    const TemporaryFolder folder;
    write_weights(folder.path(), settings, even_weights(settings));
    const formats::Safetensors file = formats::open_safetensors_folder(folder.path());
    for (const auto& [arithmetic, bytes] :
         {std::pair{Arithmetic::kFp32, 4.0}, {Arithmetic::kBf16, 2.0}, {Arithmetic::kInt8, 1.0}}) {
      const Transformer network = make_transformer(settings, file, arithmetic);
      const double weights = bytes * static_cast<double>(spec::parameter_count(settings));
      EXPECT_GT(static_cast<double>(bytes_of(network)), weights);
      EXPECT_LT(static_cast<double>(bytes_of(network)), 1.2 * weights)
          << text_of(settings) << ", " << bytes << " bytes a weight";
    }
  }
}

// A table of tokens that is too large to be there twice is read from the head.
TEST(Network, ReadsTokensFromATiedHead) {
  ModelSettings settings = small("gpt2");
  settings.vocabulary = 300;
  const Model model(settings);
  const RandomRows rows(1, 17, 300);
  const std::vector<float> logits = logits_of(*model.network, rows, 0);
  const auto expected = model.slow.logits(rows.tokens, rows.frozen, 0);
  for (std::size_t n = 0; n < 17; ++n)
    for (std::size_t v = 0; v < 300; ++v)
      ASSERT_NEAR(logits[n * 300 + v], expected[n][v], 2e-5) << n;
}

TEST(Network, LogitsDependNeitherOnNeighboursNorOnThreads) {
  for (const ModelSettings& settings : all_kinds()) {
    SCOPED_TRACE(text_of(settings));
    const Model one(settings, 1);
    const auto with_threads = [&](int threads) {
      return load_network(one.folder.path(), settings, {.threads = threads});
    };
    const auto two = with_threads(2), five = with_threads(5);
    // 52 rows are eleven groups: threads take groups of their own; 2 rows: they share them.
    for (const std::size_t count : {1u, 2u, 52u}) {
      const RandomRows rows(count, 13, 11);
      const std::vector<float> expected = logits_of(*one.network, rows, 0);
      EXPECT_EQ(logits_of(*two, rows, 0), expected);
      EXPECT_EQ(logits_of(*five, rows, 0), expected);
      std::vector<float> first(13 * 11);
      two->logits({1, 13, std::span(rows.tokens).first(13), std::span(rows.frozen).first(13)}, 0,
                  first);
      EXPECT_TRUE(std::equal(first.begin(), first.end(), expected.begin()));
    }
  }
}

// Sequences of different lengths read in pieces; with loops of their own.
TEST(Network, ReadsOnFromWhereItStopped) {
  for (const ModelSettings& settings : all_kinds()) {
    if (!settings.causal) continue;
    SCOPED_TRACE(text_of(settings));
    const Model model(settings, 2);
    const RandomRows rows(3, 30, 11);
    const std::vector<std::int64_t> loops{0, 0, settings.architecture == "looped" ? 4 : 0};
    std::vector<std::unique_ptr<decoding::Sequence>> sequences;
    for (const std::int64_t each : loops) sequences.push_back(model.network->start(each));
    std::vector<std::size_t> read(3);
    const std::size_t pieces[][3] = {{1, 7, 12}, {3, 1, 1}, {1, 1, 5}, {20, 1, 1}};
    for (const auto& piece : pieces) {
      std::vector<decoding::Reading> readings;
      for (std::size_t b = 0; b < 3; ++b) {
        readings.push_back(
            {sequences[b].get(), std::span(rows.tokens).subspan(b * 30 + read[b], piece[b])});
        read[b] += piece[b];
      }
      std::vector<float> logits(3 * 11);
      model.network->next_logits(readings, logits);
      for (std::size_t b = 0; b < 3; ++b) {
        const auto expected =
            model.slow.unshifted(std::span(rows.tokens).subspan(b * 30, read[b]), {}, loops[b]);
        for (std::size_t v = 0; v < 11; ++v)
          ASSERT_NEAR(logits[b * 11 + v], expected.back()[v], 2e-5) << b << " after " << read[b];
      }
    }
  }
}

TEST(Network, TakesNoRows) {
  const Model model(small("looped"));
  model.network->logits({0, 5, {}, {}}, 0, {});
  model.network->logits({3, 0, {}, {}}, 0, {});  // rows of nothing
}

TEST(Network, RefusesRowsThatAreTooLongAndUnknownTokens) {
  const Model model(small("gpt2"));
  const RandomRows longer(1, 41, 11), strange(1, 5, 500);
  EXPECT_NE(error_of([&] { logits_of(*model.network, longer, 0); }).find("a sequence of 41 tokens"),
            std::string::npos);
  EXPECT_NE(error_of([&] { logits_of(*model.network, strange, 0); }).find("one of the 11 tokens"),
            std::string::npos);
  RandomRows next(1, 5, 11);
  next.tokens.back() = 11;
  EXPECT_NE(error_of([&] { logits_of(*model.network, next, 0); }), "");
}

TEST(Network, RefusesNumbersThatAreNone) {
  for (const float none :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const ModelSettings settings = small("looped");
    Numbers weights = random_weights(settings);
    weights["blocks.1.up"][77] = none;
    const TemporaryFolder folder;
    write_weights(folder.path(), settings, weights);
    const std::string text = error_of([&] { load_network(folder.path(), settings); });
    EXPECT_NE(text.find("blocks.1.up"), std::string::npos) << text;
    EXPECT_NE(text.find("finite"), std::string::npos) << text;
  }
}

TEST(Network, SaysWhoKnowsOtherNetworks) {
  const ModelSettings llama = small("llama");
  ModelSettings vdm = small("gpt2");
  vdm.vectors = 8;
  EXPECT_TRUE(knows(small("gpt2")) && knows(small("looped")));
  EXPECT_FALSE(knows(llama) || knows(vdm));
  const TemporaryFolder folder;  // empty: files are not even looked for
  const auto refused = [&](const ModelSettings& settings, const char* what) {
    const std::string text = error_of([&] { load_network(folder.path(), settings); });
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_NE(text.find("the full program"), std::string::npos) << text;
  };
  refused(llama, "llama");
  refused(vdm, "noised vectors");
}

}  // namespace
}  // namespace mgdm::runtime
