// LLaMA's files and numbers: settings, config.json, LoRA's description.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "formats/safetensors_folder.h"
#include "formats/test_support.h"
#include "model_files/adapter.h"
#include "model_files/checkpoint_config.h"
#include "model_files/weights.h"
#include "spec/recipe.h"
#include "spec/tensors.h"

namespace mgdm::model_files {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGoldenLlama = fs::path(MGDM_SOURCE_DIR) / "tests/golden/llama";

json golden_config(const char* name) {
  return json::parse(read_file(kGoldenLlama / name / "config.json"));
}

std::string refusal(const json& config) {
  return error_of([&] { parse_config(config.dump(), "config.json"); });
}

TEST(Llama, SizesAreThoseOfTheRealModels) {
  const auto settings = [](const char* name) {
    return spec::read_recipe(fs::path(MGDM_SOURCE_DIR) / "recipes/paper" / name, {}).model;
  };
  spec::ModelSettings seven = settings("countdown-4-llama-7b-lora.toml");
  EXPECT_EQ(spec::trained_count(seven), 39'976'960);
  EXPECT_EQ(spec::parameter_count(seven), 6'738'415'616 + 39'976'960);
  seven.lora.rank = 0;
  EXPECT_EQ(spec::parameter_count(seven), 6'738'415'616);
  EXPECT_EQ(spec::trained_count(seven), 6'738'415'616);
  spec::ModelSettings thirteen = settings("sudoku-llama-13b-lora.toml");
  thirteen.lora.rank = 0;
  EXPECT_EQ(spec::parameter_count(thirteen), 13'015'864'320);
}

TEST(Llama, ReadsWhatHuggingFaceWrites) {
  const CheckpointConfig three = read_config(kGoldenLlama / "llama3");
  EXPECT_EQ(three.settings.architecture, "llama");
  EXPECT_TRUE(three.settings.causal && three.settings.shift);
  EXPECT_EQ(three.settings.key_value_heads(), 2);
  EXPECT_EQ(three.settings.head_size(), 8);
  EXPECT_EQ(three.settings.hidden(), 40);
  EXPECT_TRUE(three.settings.llama.tied_head);
  EXPECT_EQ(three.settings.llama.rope_scaling, "llama3");
  EXPECT_EQ(three.settings.llama.rope_original_positions, 16);
  EXPECT_TRUE(three.alphabet.empty());
  EXPECT_FALSE(three.about.card);
  const CheckpointConfig two = read_config(kGoldenLlama / "llama2");
  EXPECT_EQ(two.settings.llama.norm_eps, 1e-6);
  EXPECT_FALSE(two.settings.llama.tied_head);

  // As newer versions write them.
  json newer = golden_config("llama3");
  newer["rope_parameters"] = newer["rope_scaling"];
  newer["rope_parameters"]["rope_theta"] = newer["rope_theta"];
  newer.erase("rope_scaling");
  newer.erase("rope_theta");
  EXPECT_EQ(parse_config(newer.dump(), "x").settings.llama, three.settings.llama);
}

TEST(Llama, WhatIsWrittenReadsBack) {
  for (const char* name : {"llama2", "llama3"}) {
    CheckpointConfig config = read_config(kGoldenLlama / name);
    config.alphabet = "0123";
    config.about.base = spec::BaseModel{"somewhere", "0badf00d"};
    config.settings.lora.rank = 3;
    const std::string text = to_json(config);
    const CheckpointConfig again = parse_config(text, "again");
    EXPECT_EQ(again.settings.llama, config.settings.llama);
    EXPECT_EQ(again.settings.lora, config.settings.lora);
    EXPECT_EQ(again.about.base->fingerprint, "0badf00d");
    json edited = json::parse(text);
    edited["num_key_value_heads"] = 1;
    EXPECT_NE(refusal(edited).find("key_value_heads is 1 by the names of LLaMA"),
              std::string::npos);
  }
}

// Files hold of rotary positions what their kind reads; the rest makes no difference.
TEST(Llama, UnusedNumbersOfRotaryPositionsDoNotMatter) {
  for (const char* scaling : {"none", "linear", "llama3"}) {
    CheckpointConfig config = read_config(kGoldenLlama / "llama2");
    config.alphabet = "0123";
    config.settings.llama.rope_scaling = scaling;
    config.settings.llama.rope_factor = 8;
    config.settings.llama.rope_low_frequency = 2;
    const std::string text = to_json(config);
    EXPECT_EQ(parse_config(text, "again").settings.llama, config.settings.llama) << scaling;
    json edited = json::parse(text);
    edited["rope_theta"] = 7;
    EXPECT_NE(refusal(edited).find("rotary positions"), std::string::npos);
  }
}

TEST(Llama, RefusesWhatItDoesNotCompute) {
  json config = golden_config("llama2");
  config["attention_bias"] = true;
  EXPECT_NE(refusal(config).find("attention_bias is true"), std::string::npos);
  config = golden_config("llama2");
  config["rope_scaling"] = {{"type", "yarn"}, {"factor", 2.0}};
  EXPECT_NE(refusal(config).find("rope_scaling: type is \"yarn\""), std::string::npos);
  config["rope_scaling"] = 7;
  EXPECT_NE(refusal(config).find("rope_scaling is 7"), std::string::npos);
  config = golden_config("llama2");
  config.erase("intermediate_size");
  EXPECT_NE(refusal(config).find("no intermediate_size"), std::string::npos);

  spec::ModelSettings settings = read_config(kGoldenLlama / "llama2").settings;
  settings.llama.key_value_heads = 3;
  EXPECT_THROW(spec::check(settings), UsageError);
  settings.llama.key_value_heads = 2;
  EXPECT_NO_THROW(spec::check(settings));
  settings.llama.rope_scaling = "llama3";
  EXPECT_NO_THROW(spec::check(settings));
  settings.llama.rope_low_frequency = settings.llama.rope_high_frequency;
  EXPECT_THROW(spec::check(settings), UsageError);
  settings.llama.rope_scaling = "linear";
  EXPECT_NO_THROW(spec::check(settings));
  settings.llama.head_size = 7;
  EXPECT_THROW(spec::check(settings), UsageError);
  spec::ModelSettings gpt2;
  gpt2.lora.rank = 4;
  EXPECT_THROW(spec::check(gpt2), UsageError);
}

TEST(Llama, OtherArchitecturesSayNothingOfIt) {
  const std::string text = to_json({spec::ModelSettings(), "0123", {}});
  EXPECT_EQ(text.find("llama"), std::string::npos);
  EXPECT_EQ(text.find("lora"), std::string::npos);
}

TEST(Llama, ItsTensorsAreFoundInShards) {
  const CheckpointConfig config = read_config(kGoldenLlama / "llama2");
  const formats::Safetensors file = formats::open_safetensors_folder(kGoldenLlama / "llama2");
  EXPECT_EQ(weights_in(file, config.settings).size(), spec::tensors_of(config.settings).size());
  EXPECT_FALSE(stored_transposed(config.settings, spec::tensors_of(config.settings)[1]));
}

TEST(Adapter, ReadsPeftsFilesAndTheirBase) {
  const fs::path folder = kGoldenLlama / "lora";
  ASSERT_TRUE(is_adapter(folder));
  const Adapter adapter = read_adapter(folder);
  EXPECT_EQ(adapter.lora.rank, 4);
  EXPECT_EQ(adapter.lora.alpha, 6);
  EXPECT_EQ(adapter.base, "../llama2");
  const CheckpointConfig config = read_config(folder);  // its base's, with LoRA
  EXPECT_EQ(config.settings.lora.rank, 4);
  EXPECT_EQ(config.settings.width, 32);
  const formats::Safetensors file = open_adapter(folder);
  EXPECT_EQ(adapter_weights_in(file, config.settings).size(), 2u * 2 * 7);
  // The other model has other shapes.
  spec::ModelSettings other = read_config(kGoldenLlama / "llama3").settings;
  other.lora = adapter.lora;
  try {
    adapter_weights_in(file, other);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("belongs to another base model"), std::string::npos);
  }
  EXPECT_THROW(base_folder(folder, {adapter.lora, "nowhere"}), Error);
  EXPECT_THROW(base_folder(folder, {adapter.lora, folder}), Error);  // itself
}

TEST(Adapter, FingerprintsTellModelsApart) {
  const spec::BaseModel two = base_model(kGoldenLlama / "llama2"),
                        three = base_model(kGoldenLlama / "llama3");
  EXPECT_NE(two.fingerprint, three.fingerprint);
  EXPECT_EQ(two.fingerprint, base_model(kGoldenLlama / "lora/../llama2").fingerprint);
  spec::About about;
  EXPECT_NO_THROW(check_base(about, kGoldenLlama / "llama2"));
  about.base = two;
  EXPECT_NO_THROW(check_base(about, kGoldenLlama / "llama2"));
  EXPECT_THROW(check_base(about, kGoldenLlama / "llama3"), Error);
}

// PEFT would leave those matrices out.
TEST(Adapter, MatricesOfProjectionsThatItDoesNotNameAreRefused) {
  const formats::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "lora";
  fs::copy(kGoldenLlama / "lora", folder, fs::copy_options::recursive);
  const auto name = [&](const json& targets) {
    json document = json::parse(read_file(folder / "adapter_config.json"));
    document["target_modules"] = targets;
    write_file((folder / "adapter_config.json").string(), document.dump());
    return error_of([&] { open_adapter(folder); });
  };
  json all = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  EXPECT_EQ(name(all), "");
  EXPECT_EQ(name("all-linear"), "");  // a pattern
  all.erase(0);
  EXPECT_CONTAINS(name(all), "target_modules of adapter_config.json does not have q_proj");
}

TEST(Adapter, DescriptionsReadBackAndOtherFormsAreRefused) {
  const Adapter adapter{{.rank = 5, .alpha = 2.5, .dropout = 0.1}, "base"};
  const Adapter again = parse_adapter(adapter_json(adapter), "a");
  EXPECT_EQ(again.lora.rank, 5);
  EXPECT_EQ(again.lora.alpha, 2.5);
  EXPECT_EQ(again.lora.dropout, 0.1);
  EXPECT_EQ(again.base, "base");
  const std::pair<const char*, json> wrong[] = {{"use_dora", true},
                                                {"use_rslora", true},
                                                {"bias", "all"},
                                                {"peft_type", "IA3"},
                                                {"r", 0},
                                                {"rank_pattern", {{"q_proj", 2}}},
                                                {"modules_to_save", {"lm_head"}},
                                                {"target_modules", {"embed_tokens"}},
                                                {"lora_alpha", "much"}};
  for (const auto& [key, value] : wrong) {
    json document = json::parse(adapter_json(adapter));
    document[key] = value;
    EXPECT_THROW(parse_adapter(document.dump(), "a"), Error) << key;
  }
  EXPECT_THROW(parse_adapter("[]", "a"), Error);
  EXPECT_THROW(parse_adapter("{}", "a"), Error);  // of no type at all
}

TEST(Recipes, LlamaReadsFromLeftToRight) {
  const fs::path smoke = fs::path(MGDM_SOURCE_DIR) / "recipes/smoke";
  EXPECT_THROW(spec::read_recipe(smoke / "llama.toml", {"objective.kind=teacherless"}), UsageError);
  EXPECT_THROW(spec::read_recipe(smoke / "ar.toml", {"training.recompute=true"}), UsageError);
  EXPECT_THROW(
      spec::read_recipe(smoke / "llama.toml", {"model.lora.rank=2", "model.lora.dropout=0.1"}),
      UsageError);
}

}  // namespace
}  // namespace mgdm::model_files
