#include "model_files/config_names.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "data/vocabulary.h"
#include "model_files/json_reader.h"

namespace mgdm::model_files {
namespace {

using json = nlohmann::ordered_json;

// What transformers reads to build a GPT2LMHeadModel.
json gpt2_json(const spec::ModelSettings& settings) {
  return {{"architectures", {"GPT2LMHeadModel"}},
          {"model_type", spec::architecture_kind(settings.architecture).model_type},
          {"n_embd", settings.width},
          {"n_layer", settings.layers},
          {"n_head", settings.heads},
          {"n_positions", settings.positions},
          {"n_ctx", settings.positions},
          {"n_inner", nullptr},
          {"vocab_size", settings.vocabulary},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", 1e-5},
          {"initializer_range", 0.02},
          {"resid_pdrop", settings.dropout},
          {"embd_pdrop", settings.dropout},
          {"attn_pdrop", settings.dropout},
          {"tie_word_embeddings", true},
          {"bos_token_id", data::kEos},
          {"eos_token_id", data::kEos},
          {"pad_token_id", data::kPad}};
}

json looped_json(const spec::ModelSettings& settings) {
  return {{"architectures", {"MgdmLooped"}},
          {"model_type", spec::architecture_kind(settings.architecture).model_type},
          {"hidden_size", settings.width},
          {"num_hidden_layers", settings.layers},
          {"num_attention_heads", settings.heads},
          {"max_position_embeddings", settings.positions},
          {"num_loops", settings.loops},
          {"vocab_size", settings.vocabulary},
          {"tie_word_embeddings", false},
          {"eos_token_id", data::kEos},
          {"pad_token_id", data::kPad}};
}

json rope_json(const spec::LlamaSettings& llama) {
  if (llama.rope_scaling == "none") return nullptr;
  json scaling{{"rope_type", llama.rope_scaling}, {"factor", llama.rope_factor}};
  if (llama.rope_scaling == "linear") return scaling;
  scaling["low_freq_factor"] = llama.rope_low_frequency;
  scaling["high_freq_factor"] = llama.rope_high_frequency;
  scaling["original_max_position_embeddings"] = llama.rope_original_positions;
  return scaling;
}

// What transformers reads to build a LlamaForCausalLM.
json llama_json(const CheckpointConfig& config) {
  const spec::ModelSettings& settings = config.settings;
  const spec::LlamaSettings& llama = settings.llama;
  json out{{"architectures", {"LlamaForCausalLM"}},
           {"model_type", spec::architecture_kind(settings.architecture).model_type},
           {"hidden_size", settings.width},
           {"intermediate_size", settings.hidden()},
           {"num_hidden_layers", settings.layers},
           {"num_attention_heads", settings.heads},
           {"num_key_value_heads", settings.key_value_heads()},
           {"head_dim", settings.head_size()},
           {"max_position_embeddings", settings.positions},
           {"vocab_size", settings.vocabulary},
           {"hidden_act", "silu"},
           {"rms_norm_eps", llama.norm_eps},
           {"rope_theta", llama.rope_theta},
           {"rope_scaling", rope_json(llama)},
           {"tie_word_embeddings", llama.tied_head},
           {"attention_bias", false},
           {"mlp_bias", false},
           {"initializer_range", 0.02},
           {"eos_token_id", config.specials.eos},
           {"pad_token_id", config.specials.pad}};
  out["bos_token_id"] = config.begin ? json(*config.begin) : json(nullptr);
  return out;
}

spec::ModelSettings read_gpt2(const JsonReader& reader, const json& document) {
  spec::ModelSettings settings;
  settings.layers = reader.size("n_layer", 200);
  settings.heads = reader.size("n_head", 256);
  settings.width = reader.size("n_embd", 65536);
  settings.positions = reader.size("n_positions", 65536);
  settings.vocabulary = reader.size("vocab_size", 1 << 20);
  if (document.contains("resid_pdrop")) {
    const json& dropout = reader.at("resid_pdrop");
    if (!dropout.is_number() || dropout < 0 || dropout > 0.95)
      throw reader.wrong("resid_pdrop", "a number, 0 to 0.95");
    settings.dropout = dropout.get<double>();
  }
  settings.causal = settings.shift = true;
  reader.must_be("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  reader.must_be("layer_norm_epsilon", {1e-5});
  reader.must_be("n_inner", {nullptr, 4 * settings.width});
  reader.must_be("scale_attn_weights", {true});
  reader.must_be("scale_attn_by_inverse_layer_idx", {false});
  reader.must_be("add_cross_attention", {false});
  reader.must_be("tie_word_embeddings", {true});
  return settings;
}

// Files of different years call it "type" or "rope_type", and put theta beside or inside.
void read_rope(const json& document, const std::string& source, spec::LlamaSettings& llama) {
  const JsonReader outer(document, source);
  llama.rope_theta = outer.number("rope_theta", 10000, 1, 1e12);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto found = document.find(key);
    if (found == document.end() || found->is_null()) continue;
    if (!found->is_object()) throw outer.wrong(key, "an object");
    const std::string place = fmt::format("{}: {}", source, key);
    const JsonReader rope(*found, place);
    llama.rope_theta = rope.number("rope_theta", llama.rope_theta, 1, 1e12);
    const char* const name = found->contains("rope_type") ? "rope_type" : "type";
    const json& type = rope.at(name);
    if (type == "default") continue;
    if (type != "linear" && type != "llama3") throw rope.wrong(name, "default, linear or llama3");
    llama.rope_scaling = type.get<std::string>();
    llama.rope_factor = rope.number("factor", 1, 1, 1e6);
    if (type == "linear") continue;
    llama.rope_low_frequency = rope.number("low_freq_factor", 1, 0, 1e6);
    llama.rope_high_frequency = rope.number("high_freq_factor", 4, 0, 1e6);
    llama.rope_original_positions = rope.size("original_max_position_embeddings", 1 << 30);
  }
}

spec::ModelSettings read_llama(const JsonReader& reader, const json& document,
                               const std::string& source) {
  spec::ModelSettings settings;
  const auto optional_size = [&](const char* key, std::int64_t high) {
    const auto found = document.find(key);
    return found == document.end() || found->is_null() ? 0 : reader.size(key, high);
  };
  settings.architecture = document["model_type"].get<std::string>();  // its name with us, too
  settings.layers = reader.size("num_hidden_layers", 200);
  settings.heads = reader.size("num_attention_heads", 256);
  settings.width = reader.size("hidden_size", 65536);
  settings.positions = reader.size("max_position_embeddings", 1 << 20);
  settings.vocabulary = reader.size("vocab_size", 1 << 20);
  settings.dropout = 0;
  settings.causal = settings.shift = true;
  settings.llama.hidden = reader.size("intermediate_size", 1 << 20);
  settings.llama.key_value_heads = optional_size("num_key_value_heads", 256);
  settings.llama.head_size = optional_size("head_dim", 4096);
  settings.llama.norm_eps = reader.number("rms_norm_eps", 1e-6, 0, 1);
  read_rope(document, source, settings.llama);
  if (document.contains("tie_word_embeddings")) {
    reader.must_be("tie_word_embeddings", {true, false});
    settings.llama.tied_head = document["tie_word_embeddings"].get<bool>();
  }
  reader.must_be("hidden_act", {"silu"});
  reader.must_be("attention_bias", {false});
  reader.must_be("mlp_bias", {false});
  return settings;
}

}  // namespace

json names_json(const CheckpointConfig& config) {
  switch (spec::architecture_kind(config.settings.architecture).family) {
    case spec::Family::kGpt2:
      return gpt2_json(config.settings);
    case spec::Family::kLooped:
      return looped_json(config.settings);
    case spec::Family::kLlama:
      return llama_json(config);
  }
  check_failed("a known family", __FILE__, __LINE__);
}

bool has_names(const spec::ArchitectureKind& kind) { return kind.family != spec::Family::kLooped; }

spec::ModelSettings read_names(const json& document, const spec::ArchitectureKind& kind,
                               const std::string& source) {
  MGDM_CHECK(has_names(kind));
  const JsonReader reader(document, source);
  return kind.family == spec::Family::kGpt2 ? read_gpt2(reader, document)
                                            : read_llama(reader, document, source);
}

void check_agreement(const spec::ModelSettings& theirs, const spec::ModelSettings& ours,
                     const std::string& source) {
  const bool llama = spec::architecture_kind(ours.architecture).family == spec::Family::kLlama;
  const char* const names = llama ? "LLaMA" : "GPT-2";
  const auto same = [&](const char* name, std::int64_t a, std::int64_t b) {
    if (a != b)
      throw Error(fmt::format("{}: {} is {} by the names of {}, {} in mgdm.settings", source, name,
                              a, names, b),
                  "one number in both places");
  };
  same("layers", theirs.layers, ours.layers);
  same("heads", theirs.heads, ours.heads);
  same("width", theirs.width, ours.width);
  same("positions", theirs.positions, ours.positions);
  same("vocabulary", theirs.vocabulary, ours.vocabulary);
  if (!llama) return;
  same("head_size", theirs.head_size(), ours.head_size());
  same("key_value_heads", theirs.key_value_heads(), ours.key_value_heads());
  same("hidden", theirs.hidden(), ours.hidden());
  const spec::LlamaSettings &a = theirs.llama, &b = ours.llama;
  if (a.norm_eps != b.norm_eps || a.tied_head != b.tied_head || a.rope_theta != b.rope_theta ||
      rope_json(a) != rope_json(b))
    throw Error(source + ": norms, rotary positions or the head differ from mgdm.settings.llama",
                "the same in both places");
}

}  // namespace mgdm::model_files
