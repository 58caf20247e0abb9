#include "nn/llama.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "formats/test_support.h"
#include "model_files/adapter.h"
#include "model_files/model_folder.h"
#include "nn/checkpoint.h"

namespace mgdm::nn {
namespace {

namespace fs = std::filesystem;

// made_by in its golden.json says which library computed them.
const fs::path kGoldenModels = fs::path(MGDM_SOURCE_DIR) / "tests/golden/llama";

class GoldenLlama : public testing::TestWithParam<const char*> {
 protected:
  GoldenLlama()
      : golden_(nlohmann::json::parse(read_file(kGoldenModels / GetParam() / "golden.json"))),
        loaded_(load_model(kGoldenModels / GetParam())) {}

  const nlohmann::json golden_;
  const LoadedModel loaded_;
  const at::NoGradGuard no_grad_;
};

TEST_P(GoldenLlama, LogitsAreTheSame) {
  std::vector<std::int64_t> tokens;
  std::vector<double> logits;
  const auto rows = static_cast<std::int64_t>(golden_["tokens"].size());
  for (const auto& row : golden_["tokens"])
    for (const auto& token : row) tokens.push_back(token.get<std::int64_t>());
  for (const auto& row : golden_["logits"])
    for (const auto& position : row)
      for (const auto& logit : position) logits.push_back(logit.get<double>());
  const at::Tensor input = at::tensor(tokens, at::kLong).view({rows, -1});
  const Output output = loaded_.model->forward({.tokens = input});
  const at::Tensor ours = apply_head(output.last().hidden(), output.last().head());
  const at::Tensor theirs = at::tensor(logits, at::kFloat).view_as(ours);
  EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-4);
  EXPECT_GT(theirs.abs().max().item<double>(), 1);
}

TEST_P(GoldenLlama, GreedyTokensAreTheSame) {
  Cache cache;
  auto tokens = golden_["prompt"].get<std::vector<std::int64_t>>();
  std::vector<std::int64_t> greedy;
  while (greedy.size() < golden_["greedy"].size()) {
    const at::Tensor logits =
        loaded_.model->next_logits(at::tensor(tokens, at::kLong).unsqueeze(0), cache);
    greedy.push_back(logits.argmax(-1).item<std::int64_t>());
    tokens = {greedy.back()};
  }
  EXPECT_EQ(greedy, golden_["greedy"].get<std::vector<std::int64_t>>());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenLlama, testing::Values("llama2", "llama3", "lora"),
                         [](const auto& each) { return std::string(each.param); });

ModelSettings small_llama(std::int64_t rank = 0) {
  ModelSettings settings;
  settings.architecture = "llama";
  settings.layers = 2;
  settings.heads = 4;
  settings.width = 16;
  settings.positions = 12;
  settings.causal = true;
  settings.llama.key_value_heads = 2;
  settings.llama.hidden = 24;
  settings.lora.rank = rank;
  settings.lora.alpha = 3;
  settings.lora.base = "fp32";
  return settings;
}

at::Tensor some_tokens() { return (at::arange(2 * 9, at::kLong) * 7 % 31).view({2, 9}); }

at::Tensor logits_of(Model& model) {
  const at::NoGradGuard no_grad;
  return model.forward({.tokens = some_tokens()}).last().logits();
}

// LoRA's B starts at zero: numbers in it, so that it does something.
void fill_lora(const Model& model) {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : model.parameters().trained()) {
    at::Tensor value = parameter.value;
    value.copy_(at::arange(value.numel(), at::kFloat).view(value.sizes()).mul(0.7).sin().mul(0.3));
  }
}

struct Gradients {
  double loss = 0;
  std::vector<at::Tensor> all;  // undefined where there is none
};

Gradients gradients_of(Model& model, bool recompute) {
  Input input{.tokens = some_tokens(), .frozen = some_tokens() < 5};
  input.training = true;
  input.recompute = recompute;
  at::Tensor loss;
  for (const Prediction& prediction : model.forward(input).predictions) {
    const at::Tensor part = prediction.logits().sin().sum();
    loss = loss.defined() ? loss + part : part;
  }
  loss.backward();
  Gradients gradients{loss.item<double>(), {}};
  for (const Parameter& parameter : model.parameters().all()) {
    gradients.all.push_back(parameter.value.grad());
    at::Tensor value = parameter.value;
    value.mutable_grad() = at::Tensor();
  }
  return gradients;
}

void expect_same_gradients(Model& model) {
  const Gradients kept = gradients_of(model, false), again = gradients_of(model, true);
  EXPECT_EQ(kept.loss, again.loss);
  ASSERT_EQ(kept.all.size(), again.all.size());
  for (std::size_t i = 0; i < kept.all.size(); ++i) {
    SCOPED_TRACE(model.parameters().all()[i].name);
    ASSERT_EQ(kept.all[i].defined(), again.all[i].defined());
    if (kept.all[i].defined()) {
      EXPECT_TRUE(at::allclose(kept.all[i], again.all[i], 1e-5, 1e-6));
    }
  }
}

TEST(Recompute, GradientsAreTheSame) {
  const auto whole = make_model(small_llama(), 1);
  expect_same_gradients(*whole);
  const auto lora = make_model(small_llama(2), 1);
  fill_lora(*lora);
  expect_same_gradients(*lora);
  for (const bool loop_norm : {false, true}) {
    ModelSettings settings;
    settings.architecture = "looped";
    settings.layers = 2;
    settings.heads = 2;
    settings.width = 16;
    settings.positions = 12;
    settings.loops = 3;
    settings.loop_norm = loop_norm;
    settings.frozen_embedding = true;
    const auto looped = make_model(settings, 1);
    fill_lora(*looped);
    expect_same_gradients(*looped);
  }
}

TEST(Llama, ACacheChangesNothing) {
  const auto model = make_model(small_llama(), 1);
  const at::NoGradGuard no_grad;
  const at::Tensor tokens = some_tokens();
  Cache whole, parts;
  const at::Tensor expected = model->next_logits(tokens, whole);
  model->next_logits(tokens.slice(1, 0, 4), parts);
  model->next_logits(tokens.slice(1, 4, 5), parts);
  const at::Tensor seen = model->next_logits(tokens.slice(1, 5), parts);
  EXPECT_TRUE(at::allclose(seen, expected, 1e-5, 1e-6));
  EXPECT_EQ(parts.length, 9);
  EXPECT_THROW(model->next_logits(tokens, parts), Error);  // 18 of 12 positions
}

TEST(Llama, OnlyLorasMatricesAreTrained) {
  const auto model = make_model(small_llama(2), 1);
  EXPECT_EQ(model->parameters().trained().size(), 2u * 7 * 2);
  const Gradients gradients = gradients_of(*model, false);
  for (std::size_t i = 0; i < gradients.all.size(); ++i) {
    const Parameter& parameter = model->parameters().all()[i];
    const bool lora = parameter.name.find("lora_") != std::string::npos;
    EXPECT_EQ(gradients.all[i].defined(), lora) << parameter.name;
    EXPECT_EQ(parameter.frozen, !lora) << parameter.name;
  }
}

TEST(Llama, LoraStartsAsItsBaseAndABaseInBf16IsClose) {
  const auto base = make_model(small_llama(), 1), lora = make_model(small_llama(2), 1);
  const at::Tensor expected = logits_of(*base);
  EXPECT_TRUE(at::equal(logits_of(*lora), expected));
  fill_lora(*lora);
  EXPECT_FALSE(at::allclose(logits_of(*lora), expected, 1e-3, 1e-3));
  ModelSettings half = small_llama(2);
  half.lora.base = "bf16";
  const auto rounded = make_model(half, 1);
  EXPECT_EQ(rounded->parameters().at("model.layers.0.mlp.up_proj.weight").scalar_type(),
            at::kBFloat16);
  EXPECT_LT((logits_of(*rounded) - expected).abs().max().item<double>(), 0.02);
}

class LoraFolders : public testing::Test {
 protected:
  LoraFolders() {
    base_ = make_model(small_llama(), 1);
    save_model(folder_.path() / "base", *base_, vocabulary_);
    lora_ = make_model(small_llama(2), 7, Drawn::kTrained);
    load_weights(folder_.path() / "base", *lora_);
    fill_lora(*lora_);
    save_model(folder_.path() / "lora", *lora_, vocabulary_,
               {.card = {}, .notes = {}, .base = model_files::base_model(folder_.path() / "base")});
  }

  const formats::TemporaryFolder folder_;
  const data::Vocabulary vocabulary_;
  std::unique_ptr<Model> base_, lora_;
};

TEST_F(LoraFolders, MatricesComeBackWithTheirBase) {
  EXPECT_FALSE(fs::exists(folder_.path() / "lora/model.safetensors"));
  const LoadedModel loaded = load_model(folder_.path() / "lora");
  EXPECT_TRUE(at::equal(logits_of(*loaded.model), logits_of(*lora_)));
  const auto other = make_model(small_llama(2), 3);
  load_trained(folder_.path() / "lora", *other);  // the matrices alone
  EXPECT_FALSE(at::equal(logits_of(*other), logits_of(*lora_)));
  load_weights(folder_.path() / "lora", *other);
  EXPECT_TRUE(at::equal(logits_of(*other), logits_of(*lora_)));
}

TEST_F(LoraFolders, ExportMakesOneModelOfThem) {
  model_files::copy_model(folder_.path() / "lora", folder_.path() / "whole",
                          {.dtype = formats::Dtype::kF32, .max_shard_bytes = 4000});
  EXPECT_TRUE(fs::exists(folder_.path() / "whole/model.safetensors.index.json"));
  const LoadedModel whole = load_model(folder_.path() / "whole");
  EXPECT_EQ(whole.model->settings().lora.rank, 0);
  EXPECT_TRUE(at::allclose(logits_of(*whole.model), logits_of(*lora_), 1e-5, 1e-5));
}

TEST_F(LoraFolders, AnotherBaseIsRefused) {
  save_model(folder_.path() / "base", *make_model(small_llama(), 2), vocabulary_);
  const auto refused = [&](const std::string& text, auto&& action) {
    EXPECT_NE(error_of(action).find(text), std::string::npos) << error_of(action);
  };
  refused("is not the base model that the LoRA files were trained on",
          [&] { load_model(folder_.path() / "lora"); });
  fs::remove_all(folder_.path() / "base");
  refused("is not here", [&] { load_model(folder_.path() / "lora"); });
  const auto wider = make_model(small_llama(3), 2);
  refused("LoRA of rank 2", [&] { load_trained(folder_.path() / "lora", *wider); });
}

}  // namespace
}  // namespace mgdm::nn
