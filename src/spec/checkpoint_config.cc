#include "spec/checkpoint_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/vocabulary.h"
#include "spec/adapter.h"
#include "spec/kinds.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::spec {
namespace {

using json = nlohmann::ordered_json;

// Fields as JSON, each with its own type; "decoding.steps" is in the object "decoding".
template <class Settings>
json fields_json(Settings settings) {
  json out = json::object();
  const config::Fields fields(settings);
  for (const config::Field& field : fields.all()) {
    json* place = &out;
    const auto path = split(field.key, '.');
    for (const std::string_view name : path) place = &(*place)[std::string(name)];
    *place = std::visit([](const auto* value) { return json(*value); }, field.target);
  }
  return out;
}

// An Error of `action` with the name of the file before it.
template <class Action>
auto naming(const std::string& source, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source, error.seen()), error.expected(), error.hint());
  }
}

// What transformers reads to build a GPT2LMHeadModel.
json gpt2_json(const ModelSettings& settings) {
  return {{"architectures", {"GPT2LMHeadModel"}},
          {"model_type", architecture_kind(settings.architecture).model_type},
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

json looped_json(const ModelSettings& settings) {
  return {{"architectures", {"MgdmLooped"}},
          {"model_type", architecture_kind(settings.architecture).model_type},
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

json rope_json(const LlamaSettings& llama) {
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
  const ModelSettings& settings = config.settings;
  const LlamaSettings& llama = settings.llama;
  json out{{"architectures", {"LlamaForCausalLM"}},
           {"model_type", architecture_kind(settings.architecture).model_type},
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

json names_json(const CheckpointConfig& config) {
  switch (architecture_kind(config.settings.architecture).family) {
    case Family::kGpt2:
      return gpt2_json(config.settings);
    case Family::kLooped:
      return looped_json(config.settings);
    case Family::kLlama:
      return llama_json(config);
  }
  check_failed("a known family", __FILE__, __LINE__);
}

// What other architectures do not read is left out.
json settings_json(const ModelSettings& settings) {
  json out = fields_json(settings);
  if (architecture_kind(settings.architecture).family != Family::kLlama) {
    out.erase("llama");
    out.erase("lora");
  }
  return out;
}

// The document with the name of its file, for messages.
class Reader {
 public:
  Reader(const json& document, const std::string& source) : document_(document), source_(source) {}

  std::int64_t size(const char* key, std::int64_t high) const {
    const json& value = at(key);
    if (!value.is_number_integer() || value < 1 || value > high)
      throw wrong(key, fmt::format("an integer, 1 to {}", high));
    return value.get<std::int64_t>();
  }

  double number(const char* key, double otherwise, double low, double high) const {
    const auto found = document_.find(key);
    if (found == document_.end() || found->is_null()) return otherwise;
    if (!found->is_number() || *found < low || *found > high)
      throw wrong(key, fmt::format("a number, {} to {}", low, high));
    return found->get<double>();
  }

  // Absent means the default of transformers, which is the one we compute.
  void must_be(const char* key, const std::vector<json>& allowed) const {
    const auto found = document_.find(key);
    if (found == document_.end()) return;
    std::vector<std::string> texts;
    for (const json& value : allowed) {
      if (*found == value) return;
      texts.push_back(value.dump());
    }
    throw wrong(key, joined_or(texts));
  }

  const json& at(const char* key) const {
    const auto found = document_.find(key);
    if (found == document_.end())
      throw Error(fmt::format("{}: no {}", source_, key),
                  "the config.json of a GPT-2, a LLaMA or of mgdm");
    return *found;
  }

  Error wrong(const char* key, const std::string& expected) const {
    const json& value = at(key);
    return Error(fmt::format("{}: {} is {}", source_, key,
                             value.is_structured() ? value.type_name() : value.dump()),
                 expected);
  }

 private:
  const json& document_;
  const std::string& source_;
};

ModelSettings read_gpt2(const Reader& reader, const json& document) {
  ModelSettings settings;
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
void read_rope(const json& document, const std::string& source, LlamaSettings& llama) {
  const Reader outer(document, source);
  llama.rope_theta = outer.number("rope_theta", 10000, 1, 1e12);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto found = document.find(key);
    if (found == document.end() || found->is_null()) continue;
    if (!found->is_object()) throw outer.wrong(key, "an object");
    const std::string place = fmt::format("{}: {}", source, key);
    const Reader rope(*found, place);
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

ModelSettings read_llama(const Reader& reader, const json& document, const std::string& source) {
  ModelSettings settings;
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

// Sets what the object names, each value checked as if it stood in a recipe.
void read_fields(const json& object, const std::string& prefix, const std::string& place,
                 config::Fields& fields) {
  if (!object.is_object()) throw Error(fmt::format("{} is no object", place));
  for (const auto& item : object.items()) {
    const std::string key = prefix + item.key();
    if (item.value().is_object())
      read_fields(item.value(), key + ".", place, fields);
    else
      naming(place, [&] { fields.set(key + "=" + item.value().dump()); });
  }
}

ModelSettings read_settings(const json& block, const std::string& source) {
  ModelSettings settings;
  config::Fields fields(settings);
  read_fields(block, "", source + ": mgdm.settings", fields);
  return settings;
}

ModelCard read_card(const json& block, const std::string& source) {
  ModelCard card;
  config::Fields fields(card);
  const std::string place = source + ": mgdm.card";
  read_fields(block, "", place, fields);
  naming(place, [&] { check(card); });
  return card;
}

Notes read_texts(const json& block, const std::string& place) {
  Notes texts;
  const Error wrong(place + " is no object of texts");
  if (!block.is_object()) throw wrong;
  for (const auto& [key, value] : block.items()) {
    if (!value.is_string()) throw wrong;
    texts[key] = value.get<std::string>();
  }
  return texts;
}

// What version 0.1 wrote: the card's fields as TOML writes them, and notes among them.
About read_metadata(const json& block, const std::string& source) {
  const std::string place = source + ": mgdm.metadata";
  About about{{}, read_texts(block, place)};
  if (!about.notes.contains("task")) return about;
  ModelCard card;
  config::Fields fields(card);
  for (const config::Field& field : fields.all())
    if (const auto found = about.notes.find(field.key); found != about.notes.end()) {
      naming(place, [&] { fields.set(field.key + "=" + found->second); });
      about.notes.erase(found);
    }
  naming(place, [&] { check(card); });
  about.card = std::move(card);
  return about;
}

void read_alphabet(const Reader& reader, const std::string& source, CheckpointConfig& config) {
  if (!reader.at("alphabet").is_string()) throw reader.wrong("alphabet", "text");
  config.alphabet = reader.at("alphabet").get<std::string>();
  const auto vocabulary = naming(source, [&] { return data::Vocabulary(config.alphabet); });
  if (vocabulary.size() > config.settings.vocabulary)
    throw Error(fmt::format("{}: an alphabet of {} {}", source, vocabulary.words().size(),
                            vocabulary.unit()),
                fmt::format("at most {} - {} special tokens", config.settings.vocabulary,
                            data::kSpecialTokens));
}

void read_mgdm(const json& block, const std::string& source, CheckpointConfig& config) {
  const Reader reader(block, source);
  config.settings = read_settings(reader.at("settings"), source);
  // A language model may have a tokenizer in its place.
  const bool llama = architecture_kind(config.settings.architecture).family == Family::kLlama;
  if (!llama || block.contains("alphabet")) read_alphabet(reader, source, config);
  if (const auto base = block.find("base"); base != block.end()) {
    const Notes texts = read_texts(*base, source + ": mgdm.base");
    if (!texts.contains("folder") || !texts.contains("fingerprint"))
      throw Error(source + ": mgdm.base", "a folder and a fingerprint");
    config.about.base = {texts.at("folder"), texts.at("fingerprint")};
  }
  if (const auto card = block.find("card"); card != block.end())
    config.about.card = read_card(*card, source);
  if (const auto notes = block.find("notes"); notes != block.end())
    config.about.notes = read_texts(*notes, source + ": mgdm.notes");
  if (const auto old = block.find("metadata"); old != block.end() && !config.about.card) {
    About about = read_metadata(*old, source);
    config.about.card = std::move(about.card);
    config.about.notes = std::move(about.notes);
  }
}

// Someone may have edited one half of the file only.
void check_agreement(const ModelSettings& theirs, const ModelSettings& ours,
                     const std::string& source) {
  const bool llama = architecture_kind(ours.architecture).family == Family::kLlama;
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
  LlamaSettings a = theirs.llama, b = ours.llama;
  for (LlamaSettings* each : {&a, &b}) each->head_size = each->key_value_heads = each->hidden = 0;
  if (a != b)
    throw Error(source + ": norms, rotary positions or the head differ from mgdm.settings.llama",
                "the same in both places");
}

json parse(const std::string& text, const std::string& source) {
  try {
    json document = json::parse(text);
    if (document.is_object()) return document;
  } catch (const json::exception& error) {
    throw Error(fmt::format("{}: not valid JSON: {}", source, in_quotes(error.what(), 200)));
  }
  throw Error(source + ": not a JSON object", "the config.json of a model");
}

}  // namespace

std::string to_json(const CheckpointConfig& config) {
  json out = names_json(config);
  out["torch_dtype"] = config.dtype;
  out["mgdm"]["settings"] = settings_json(config.settings);
  if (!config.alphabet.empty()) out["mgdm"]["alphabet"] = config.alphabet;
  if (const auto& base = config.about.base)
    out["mgdm"]["base"] = {{"folder", base->folder}, {"fingerprint", base->fingerprint}};
  if (config.about.card) out["mgdm"]["card"] = fields_json(*config.about.card);
  if (!config.about.notes.empty()) out["mgdm"]["notes"] = config.about.notes;
  try {
    return out.dump(2) + "\n";
  } catch (const json::exception&) {
    throw Error("the alphabet, the card or a note is not UTF-8");
  }
}

CheckpointConfig parse_config(const std::string& text, const std::string& source) {
  const json document = parse(text, source);
  const Reader reader(document, source);
  const json& type = reader.at("model_type");
  const ArchitectureKind* const kind =
      type.is_string() ? architecture_of_type(type.get_ref<const std::string&>()) : nullptr;
  if (kind == nullptr) {
    std::vector<std::string> types;
    for (const ArchitectureKind& known : architecture_kinds())
      types.push_back(fmt::format("\"{}\"", known.model_type));
    throw reader.wrong("model_type", joined_or(types));
  }
  const bool theirs_too = kind->family != Family::kLooped, ours = document.contains("mgdm");
  CheckpointConfig config;
  if (ours || !theirs_too) read_mgdm(reader.at("mgdm"), source, config);
  if (ours && config.settings.architecture != kind->name)
    throw Error(fmt::format("{}: model_type is {}, mgdm.settings.architecture \"{}\"", source,
                            type.dump(), config.settings.architecture),
                "the same in both places");
  if (theirs_too) {
    const ModelSettings theirs = kind->family == Family::kGpt2
                                     ? read_gpt2(reader, document)
                                     : read_llama(reader, document, source);
    if (ours)
      check_agreement(theirs, config.settings, source);
    else
      config.settings = theirs;
  }
  return config;
}

CheckpointConfig read_config(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "config.json";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return parse_config(read_file(path), path.string());
  if (!is_adapter(folder))
    throw Error(fmt::format("{}: no config.json", folder.string()), "the folder of a model");
  const Adapter adapter = read_adapter(folder);
  CheckpointConfig config = read_config(base_folder(folder, adapter));
  config.settings.lora = adapter.lora;
  return config;
}

bool has_vocabulary(const std::filesystem::path& folder, const CheckpointConfig& config) {
  return !config.alphabet.empty() ||
         (architecture_kind(config.settings.architecture).family == Family::kLlama &&
          tokenizers::has_tokenizer(folder));
}

data::Vocabulary read_vocabulary(const std::filesystem::path& folder,
                                 const CheckpointConfig& config) {
  if (!config.alphabet.empty()) return data::Vocabulary(config.alphabet);
  return {std::make_shared<tokenizers::Tokenizer>(tokenizers::load_tokenizer(folder)),
          static_cast<int>(config.settings.vocabulary)};
}

}  // namespace mgdm::spec
