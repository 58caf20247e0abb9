// The networks against slow versions: plain loops in double, one position and one number at a time.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "base/error.h"
#include "nn/model.h"
#include "nn/tensor_bytes.h"
#include "nn/test_support.h"

namespace mgdm::nn {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;  // one per position

// The parameters by name, as rows: a vector is one row.
class Weights {
 public:
  explicit Weights(const Model& model) {
    for (const Parameter& parameter : model.parameters().all()) {
      const at::Tensor value = host_copy(parameter.value).to(at::kDouble);
      const auto columns = static_cast<std::size_t>(value.size(-1));
      const double* data = value.data_ptr<double>();
      Rows rows;
      for (std::int64_t i = 0; i < value.numel(); i += value.size(-1))
        rows.emplace_back(data + i, data + i + columns);
      by_name_[parameter.name] = std::move(rows);
    }
  }
  const Rows& rows(const std::string& name) const { return by_name_.at(name); }
  const Row& row(const std::string& name) const { return by_name_.at(name).front(); }

 private:
  std::map<std::string, Rows> by_name_;
};

Row plus(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Row times(const Rows& weight, const Row& x) {
  Row y;
  for (const Row& row : weight) y.push_back(dot(row, x));
  return y;
}

Row layer_norm(const Row& x, const Row& weight, const Row& bias) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / n;
  for (const double value : x) variance += (value - mean) * (value - mean) / n;
  Row y = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
  return y;
}

Row rms_norm(Row x) {
  const double mean = dot(x, x) / static_cast<double>(x.size());
  for (double& value : x) value /= std::sqrt(mean + 1e-6);
  return x;
}

Row slice(const Row& x, std::size_t begin, std::size_t count) {
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

// qkv holds q, k and v of all heads side by side, head after head.
Rows attend(const Rows& qkv, std::size_t heads, bool causal, bool normalized, double scale) {
  const std::size_t width = qkv[0].size() / 3, size = width / heads;
  Rows out(qkv.size(), Row(width));
  for (std::size_t head = 0; head < heads; ++head) {
    const auto part = [&](std::size_t position, std::size_t which) {
      const Row x = slice(qkv[position], which * width + head * size, size);
      return normalized && which < 2 ? rms_norm(x) : x;
    };
    for (std::size_t i = 0; i < qkv.size(); ++i) {
      const std::size_t seen = causal ? i + 1 : qkv.size();
      Row weights;
      double sum = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        weights.push_back(std::exp(scale * dot(part(i, 0), part(j, 1))));
        sum += weights.back();
      }
      for (std::size_t j = 0; j < seen; ++j)
        for (std::size_t d = 0; d < size; ++d)
          out[i][head * size + d] += weights[j] / sum * part(j, 2)[d];
    }
  }
  return out;
}

// Position n about token n: with shift it is read off hidden state n-1, position 0 off its own.
Rows aligned(const Rows& logits, bool shift) {
  if (!shift) return logits;
  Rows out{logits[0]};
  out.insert(out.end(), logits.begin(), logits.end() - 1);
  return out;
}

Rows slow_gpt2(const Model& model, const std::vector<std::int64_t>& tokens) {
  const ModelSettings& settings = model.settings();
  const Weights w(model);
  const auto heads = static_cast<std::size_t>(settings.heads);
  const auto linear = [&](const std::string& name, const Row& x) {
    return plus(times(w.rows(name + ".weight"), x), w.row(name + ".bias"));
  };
  const auto norm = [&](const std::string& name, const Row& x) {
    return layer_norm(x, w.row(name + ".weight"), w.row(name + ".bias"));
  };
  Rows x;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    x.push_back(plus(w.rows("transformer.wte.weight")[static_cast<std::size_t>(tokens[i])],
                     w.rows("transformer.wpe.weight")[i]));
  for (std::int64_t layer = 0; layer < settings.layers; ++layer) {
    const std::string name = fmt::format("transformer.h.{}.", layer);
    Rows qkv;
    for (const Row& row : x) qkv.push_back(linear(name + "attn.c_attn", norm(name + "ln_1", row)));
    const double head_size = static_cast<double>(settings.width / settings.heads);
    const Rows mixed =
        attend(qkv, heads, settings.causal, /*normalized=*/false, 1 / std::sqrt(head_size));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = plus(x[i], linear(name + "attn.c_proj", mixed[i]));
      Row hidden = linear(name + "mlp.c_fc", norm(name + "ln_2", x[i]));
      for (double& h : hidden)
        h *= 0.5 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (h + 0.044715 * h * h * h)));
      x[i] = plus(x[i], linear(name + "mlp.c_proj", hidden));
    }
  }
  Rows logits;
  for (const Row& row : x)
    logits.push_back(times(w.rows("transformer.wte.weight"), norm("transformer.ln_f", row)));
  return aligned(logits, settings.shift);
}

std::vector<Rows> slow_looped(const Model& model, const std::vector<std::int64_t>& tokens,
                              const std::vector<bool>& frozen, std::int64_t loops) {
  const ModelSettings& settings = model.settings();
  const Weights w(model);
  Rows e;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    e.push_back(plus(w.rows("embed.tokens")[static_cast<std::size_t>(tokens[i])],
                     w.rows("embed.positions")[i]));
    if (settings.frozen_embedding) e[i] = plus(e[i], w.rows("embed.frozen")[frozen[i] ? 1 : 0]);
  }
  std::vector<Rows> logits;
  Rows x = e;
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    if (loop > 0)
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = plus(settings.loop_norm ? rms_norm(x[i]) : x[i], e[i]);
    for (std::int64_t layer = 0; layer < settings.layers; ++layer) {
      const auto weight = [&](const char* name) -> const Rows& {
        return w.rows(fmt::format("blocks.{}.{}", layer, name));
      };
      Rows qkv;
      for (const Row& row : x) qkv.push_back(times(weight("qkv"), rms_norm(row)));
      const Rows mixed = attend(qkv, static_cast<std::size_t>(settings.heads), /*causal=*/false,
                                /*normalized=*/true, 0.25);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = plus(x[i], times(weight("projection"), mixed[i]));
        Row hidden = times(weight("up"), rms_norm(x[i]));
        for (double& h : hidden) h = h > 0 ? h * h : 0;
        x[i] = plus(x[i], times(weight("down"), hidden));
      }
    }
    Rows out;
    for (const Row& row : x) out.push_back(times(w.rows("head"), rms_norm(row)));
    logits.push_back(aligned(out, settings.shift));
  }
  return logits;
}

ModelSettings small(const std::string& architecture) {
  ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.heads = 3;
  settings.width = 12;
  settings.positions = 10;
  settings.loops = 3;
  settings.vocabulary = 9;
  settings.shift = architecture == "gpt2";
  return settings;
}

const std::vector<std::int64_t> kTokens{0, 5, 8, 2, 2, 7, 1};
const std::vector<bool> kFrozen{true, true, false, true, false, false, false};

at::Tensor tokens() { return at::tensor(kTokens).unsqueeze(0); }
at::Tensor frozen() {
  return at::tensor(std::vector<std::int64_t>(kFrozen.begin(), kFrozen.end()))
      .to(at::kBool)
      .unsqueeze(0);
}

void expect_near(const at::Tensor& logits, const Rows& expected, const std::string& what) {
  const at::Tensor host = host_copy(logits);
  ASSERT_EQ(host.size(-2), static_cast<std::int64_t>(expected.size()));
  const float* got = host.data_ptr<float>();
  // Logits of size about 10 after sums of some 50 terms in float.
  for (const Row& row : expected)
    for (const double value : row) ASSERT_NEAR(*got++, value, 1e-4) << what;
}

TEST(Gpt2, EqualsPlainLoops) {
  for (const auto& [causal, shift] : {std::pair{true, true}, {false, true}, {false, false}}) {
    ModelSettings settings = small("gpt2");
    settings.causal = causal;
    settings.shift = shift;
    const std::unique_ptr<Model> model = lively(settings);
    const Output output = model->forward({tokens(), frozen()});
    ASSERT_EQ(output.predictions.size(), 1u);
    expect_near(output.last().logits(), slow_gpt2(*model, kTokens),
                fmt::format("{} {}", causal, shift));
  }
}

// In a batch of many rows the first block's queries, keys and values are looked up.
TEST(Gpt2, SaysOfARowTheSameInALargeBatch) {
  for (const bool causal : {true, false}) {
    ModelSettings settings = small("gpt2");
    settings.causal = causal;
    const std::unique_ptr<Model> model = lively(settings);
    const at::Tensor row = model->forward({tokens(), frozen()}).last().logits().detach();
    const at::NoGradGuard no_grad;
    const std::int64_t rows = 4 * settings.vocabulary + 1;
    at::Tensor many = tokens().slice(0, 0, 1).repeat({rows, 1});
    many.slice(0, 1).copy_(tokens().slice(0, 0, 1).flip(1));
    many.select(0, rows - 1).copy_(tokens()[0]);
    const at::Tensor got =
        model->forward({many, at::zeros_like(many).to(at::kBool)}).last().logits();
    for (const std::int64_t at : {std::int64_t{0}, rows - 1})
      EXPECT_TRUE(at::allclose(got[at], row[0], /*rtol=*/1e-4, /*atol=*/1e-5)) << causal;
    EXPECT_FALSE(at::allclose(got[1], row[0], 1e-4, 1e-5));
    Input some{many, at::zeros_like(many).to(at::kBool)};
    const at::Tensor all = model->forward(some).last().hidden().flatten(0, 1);
    some.wanted = at::tensor({1, 4, 4, 9, 13});
    EXPECT_TRUE(at::allclose(model->forward(some).last().hidden(), all.index_select(0, some.wanted),
                             1e-5, 1e-5));
  }
}

TEST(Gpt2, GivesTheStatesThatAreWanted) {
  const at::NoGradGuard no_grad;
  const std::unique_ptr<Model> model = lively(small("gpt2"));
  EXPECT_TRUE(model->heeds_wanted());
  Input input{at::cat({tokens(), tokens().flip(1)}), at::cat({frozen(), frozen()})};
  const at::Tensor all = model->forward(input).last().hidden().flatten(0, 1);
  input.wanted = at::tensor({1, 4, 4, 9, 13});
  const at::Tensor some = model->forward(input).last().hidden();
  EXPECT_TRUE(at::allclose(some, all.index_select(0, input.wanted), /*rtol=*/1e-5, /*atol=*/1e-5));
}

TEST(Gpt2, StepByStepEqualsAllAtOnce) {
  ModelSettings settings = small("gpt2");
  settings.causal = true;
  const std::unique_ptr<Model> model = lively(settings);
  const Rows expected = slow_gpt2(*model, kTokens);  // row n is about token n
  Cache cache;
  const at::Tensor all = tokens();
  // Two tokens first, then one by one.
  at::Tensor logits = model->next_logits(all.slice(1, 0, 2), cache);
  for (std::size_t n = 2; n < kTokens.size(); ++n) {
    expect_near(logits, {expected[n]}, fmt::format("token {}", n));
    const auto next = static_cast<std::int64_t>(n);
    logits = model->next_logits(all.slice(1, next, next + 1), cache);
  }
  EXPECT_EQ(cache.length, static_cast<std::int64_t>(kTokens.size()));
}

TEST(Gpt2, RowsOfABatchDoNotMeet) {
  const std::unique_ptr<Model> model = lively(small("gpt2"));
  const at::Tensor two = at::cat({tokens(), tokens().flip(1)}, 0);
  const at::Tensor logits = model->forward({two, at::Tensor()}).last().logits();
  std::vector<std::int64_t> reversed(kTokens.rbegin(), kTokens.rend());
  expect_near(logits.select(0, 0), slow_gpt2(*model, kTokens), "first");
  expect_near(logits.select(0, 1), slow_gpt2(*model, reversed), "second");
}

TEST(Gpt2, DropsOnlyInTraining) {
  const std::unique_ptr<Model> model = lively(small("gpt2"));
  const auto run = [&](bool training) {
    return model->forward({tokens(), frozen(), training}).last().logits();
  };
  EXPECT_TRUE(at::equal(run(false), run(false)));
  EXPECT_FALSE(at::equal(run(true), run(true)));
}

TEST(Looped, EqualsPlainLoops) {
  for (const bool frozen_embedding : {false, true})
    for (const bool shift : {false, true})
      for (const bool loop_norm : {false, true}) {
        ModelSettings settings = small("looped");
        settings.frozen_embedding = frozen_embedding;
        settings.shift = shift;
        settings.loop_norm = loop_norm;
        const std::unique_ptr<Model> model = lively(settings);
        const auto said = model->forward({tokens(), frozen(), /*training=*/true}).predictions;
        const auto expected = slow_looped(*model, kTokens, kFrozen, settings.loops);
        ASSERT_EQ(said.size(), expected.size());
        for (std::size_t loop = 0; loop < said.size(); ++loop)
          expect_near(said[loop].logits(), expected[loop], fmt::format("loop {}", loop));
      }
}

// Without training only the answer is computed, after as many loops as are asked for.
TEST(Looped, AppliesItsBlocksAsOftenAsAsked) {
  ModelSettings settings = small("looped");
  settings.loop_norm = true;
  const std::unique_ptr<Model> model = lively(settings);
  for (const std::int64_t loops : {1, 2, 5}) {
    const Output output = model->forward({tokens(), frozen(), /*training=*/false, loops});
    ASSERT_EQ(output.predictions.size(), 1u);
    expect_near(output.last().logits(), slow_looped(*model, kTokens, kFrozen, loops).back(),
                fmt::format("{} loops", loops));
  }
}

// Two and three loops, each two from where the others stopped, are five.
TEST(Looped, GoesOnFromWhatEarlierLoopsLeft) {
  ModelSettings settings = small("looped");
  settings.loop_norm = true;
  const std::unique_ptr<Model> model = lively(settings);
  const auto expected = slow_looped(*model, kTokens, kFrozen, 5);
  Input input{tokens(), frozen(), /*training=*/false, /*loops=*/2};
  input.earlier = model->forward(input).last().hidden().detach();
  input.training = true;
  input.loops = 3;
  for (const bool recompute : {false, true}) {
    input.recompute = recompute;
    const auto said = model->forward(input).predictions;
    ASSERT_EQ(said.size(), 3u);
    for (std::size_t loop = 0; loop < said.size(); ++loop)
      expect_near(said[loop].logits(), expected[2 + loop], fmt::format("loop {}", 2 + loop));
  }
}

// Vectors in place of the tokens' embeddings: those of the tokens themselves change nothing.
TEST(Models, TakeVectorsInPlaceOfTokens) {
  for (const auto& [architecture, table] :
       {std::pair{"gpt2", "transformer.wte.weight"}, {"looped", "embed.tokens"}}) {
    const auto model = lively(small(architecture));
    const at::Tensor vectors = at::embedding(model->parameters().at(table), tokens()).detach();
    const auto logits = [&](const Input& input) { return model->forward(input).last().logits(); };
    const at::Tensor expected = logits({tokens(), frozen()});
    EXPECT_TRUE(at::equal(logits({.frozen = frozen(), .vectors = vectors}), expected));
    EXPECT_FALSE(at::equal(logits({.frozen = frozen(), .vectors = 2 * vectors}), expected));
    EXPECT_THROW(logits({.tokens = tokens(), .noise_level = at::zeros({1})}), Error);
  }
}

TEST(Models, RefuseWhatIsTooLong) {
  for (const std::string architecture : {"gpt2", "looped"}) {
    const auto model = make_model(small(architecture), 1);
    EXPECT_THROW(model->forward({at::zeros({1, 11}, at::kLong), at::Tensor()}), Error);
  }
}

TEST(Models, RefuseSettingsThatDoNotFit) {
  ModelSettings settings = small("gpt2");
  settings.heads = 5;
  EXPECT_THROW(make_model(settings, 1), UsageError);
  settings = small("gpt2");
  settings.causal = true;
  settings.shift = false;
  EXPECT_THROW(make_model(settings, 1), UsageError);
  settings = small("looped");
  settings.causal = settings.shift = settings.frozen_embedding = true;
  EXPECT_THROW(make_model(settings, 1), UsageError);
}

// Embeddings; per block qkv 3 C^2 + 3 C, projection C^2 + C, MLP 8 C^2 + 5 C, two norms 4 C; the
// last norm.
constexpr std::int64_t gpt2_count(std::int64_t layers, std::int64_t width,
                                  std::int64_t vocabulary = 31, std::int64_t positions = 512) {
  return (vocabulary + positions) * width + layers * (12 * width * width + 13 * width) + 2 * width;
}

TEST(Models, HaveThePublishedSizes) {
  EXPECT_EQ(gpt2_count(3, 384), 5'532'672);      // tiny, the paper's 6M
  EXPECT_EQ(gpt2_count(12, 768), 85'473'024);    // base
  EXPECT_EQ(gpt2_count(24, 1024), 302'867'456);  // medium
  EXPECT_EQ(make_model({}, 0)->parameters().count(), gpt2_count(3, 384));
  for (const std::int64_t layers : {1, 5}) {
    ModelSettings settings = small("gpt2");
    settings.layers = layers;
    EXPECT_EQ(make_model(settings, 0)->parameters().count(), gpt2_count(layers, 12, 9, 10));
  }
}

TEST(Models, LoopedHasFiveMillion) {
  ModelSettings settings;
  settings.architecture = "looped";
  settings.positions = 52;
  settings.shift = false;
  EXPECT_EQ(make_model(settings, 0)->parameters().count(), 5'352'192);
  settings.frozen_embedding = true;
  EXPECT_EQ(make_model(settings, 0)->parameters().count(), 5'352'192 + 2 * 384);
}

TEST(Models, StartAsTheRecipeSays) {
  ModelSettings settings;
  const auto model = make_model(settings, 7);
  for (const Parameter& parameter : model->parameters().all()) {
    const at::Tensor value = parameter.value.detach();
    const double mean = value.mean().item<double>(), std = value.std().item<double>();
    const std::string& name = parameter.name;
    double expected = 0.02;
    if (name.ends_with("c_proj.weight")) expected = 0.02 / std::sqrt(6.0);
    if (name.ends_with(".bias")) expected = 0;
    if (name.find("ln_") != std::string::npos) expected = 0;
    const bool ones = name.find("ln_") != std::string::npos && name.ends_with("weight");
    // Five standard errors: of a mean std / sqrt(n), of a deviation std / sqrt(2 n).
    const double error = 5 * expected / std::sqrt(static_cast<double>(value.numel()));
    EXPECT_NEAR(mean, ones ? 1 : 0, error) << name;
    EXPECT_NEAR(std, expected, error / std::sqrt(2.0) + 1e-12) << name;
    EXPECT_EQ(parameter.role == Role::kMatrix,
              name.find(".c_") != std::string::npos && name.ends_with("weight"))
        << name;
  }
}

TEST(Models, LoopedStartsWithAUniformGuess) {
  ModelSettings settings = small("looped");
  settings.width = 48;
  const auto model = make_model(settings, 7);
  EXPECT_TRUE(
      at::equal(model->forward({tokens(), frozen()}).last().logits(), at::zeros({1, 7, 9})));
  for (const Parameter& parameter : model->parameters().all()) {
    const double std = parameter.value.detach().std().item<double>();
    double expected = 0.5 / std::sqrt(48.0);
    if (parameter.name.starts_with("embed.")) expected = 0.5;
    if (parameter.name == "head" || parameter.name.ends_with("projection") ||
        parameter.name.ends_with("down"))
      expected = 0;
    EXPECT_NEAR(std, expected,
                5 * expected / std::sqrt(2.0 * static_cast<double>(parameter.value.numel())))
        << parameter.name;
  }
}

TEST(Models, StartIsAFunctionOfTheSeed) {
  const auto one = make_model(small("gpt2"), 1), same = make_model(small("gpt2"), 1),
             other = make_model(small("gpt2"), 2);
  const auto& parameters = one->parameters().all();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_TRUE(at::equal(parameters[i].value, same->parameters().all()[i].value));
  EXPECT_FALSE(at::equal(parameters[0].value, other->parameters().all()[0].value));
  // No two tensors start alike.
  EXPECT_FALSE(at::equal(parameters[0].value.slice(0, 0, 9), parameters[1].value.slice(0, 0, 9)));
}

}  // namespace
}  // namespace mgdm::nn
