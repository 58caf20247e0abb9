#include "model_files/checkpoint_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/vocabulary.h"
#include "formats/checksums.h"
#include "formats/json_text.h"
#include "model_files/adapter.h"
#include "model_files/config_names.h"
#include "model_files/json_reader.h"
#include "spec/kinds.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::model_files {
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

// What other architectures do not read is left out.
json settings_json(const spec::ModelSettings& settings) {
  json out = fields_json(settings);
  if (spec::architecture_kind(settings.architecture).family != spec::Family::kLlama) {
    out.erase("llama");
    out.erase("lora");
  }
  return out;
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
      naming(place, [&] { fields.set(key + "=" + formats::json_text(item.value())); });
  }
}

spec::ModelSettings read_settings(const json& block, const std::string& source) {
  spec::ModelSettings settings;
  config::Fields fields(settings);
  read_fields(block, "", source + ": mgdm.settings", fields);
  return settings;
}

spec::ModelCard read_card(json block, const std::string& source) {
  spec::ModelCard card;
  config::Fields fields(card);
  const std::string place = source + ": mgdm.card";
  // Cards used to have the one option of one task; 0 stood for unknown.
  if (block.is_object() && block.contains("nodes")) {
    const json nodes = block["nodes"];
    block.erase("nodes");
    if (nodes != 0) card.options = {"nodes=" + formats::json_text(nodes)};
  }
  read_fields(block, "", place, fields);
  naming(place, [&] { spec::task_of(card); });
  return card;
}

// Whether a network like this one does what the card says.
void check_card(const spec::ModelCard& card, const spec::ModelSettings& settings,
                const std::string& source) {
  naming(source, [&] { spec::check(settings, spec::objective_kind(card.objective)); });
  if (card.length > settings.positions)
    throw Error(fmt::format("{}: mgdm.card.length {} of a network with {} positions", source,
                            card.length, settings.positions),
                "at most as many");
}

spec::Notes read_texts(const json& block, const std::string& place) {
  spec::Notes texts;
  const Error wrong(place + " is no object of texts");
  if (!block.is_object()) throw wrong;
  for (const auto& [key, value] : block.items()) {
    if (!value.is_string()) throw wrong;
    texts[key] = value.get<std::string>();
  }
  return texts;
}

void read_alphabet(const JsonReader& reader, const std::string& source, CheckpointConfig& config) {
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
  const JsonReader reader(block, source);
  config.settings = read_settings(reader.at("settings"), source);
  // A language model may have a tokenizer in its place.
  const bool llama =
      spec::architecture_kind(config.settings.architecture).family == spec::Family::kLlama;
  if (!llama || block.contains("alphabet")) read_alphabet(reader, source, config);
  if (const auto base = block.find("base"); base != block.end()) {
    const spec::Notes texts = read_texts(*base, source + ": mgdm.base");
    if (!texts.contains("folder") || !texts.contains("fingerprint"))
      throw Error(source + ": mgdm.base", "a folder and a fingerprint");
    config.about.base = {texts.at("folder"), texts.at("fingerprint")};
  }
  if (const auto card = block.find("card"); card != block.end())
    config.about.card = read_card(*card, source);
  if (const auto notes = block.find("notes"); notes != block.end())
    config.about.notes = read_texts(*notes, source + ": mgdm.notes");
}

json parse(const std::string& text, const std::string& source) {
  json document = formats::ordered_json_of(text, source, "the config.json of a model");
  if (document.is_object()) return document;
  throw Error(source + ": not a JSON object", "the config.json of a model");
}

// PEFT leaves the tokenizer with the base model.
std::filesystem::path tokenizer_folder(const std::filesystem::path& folder) {
  if (tokenizers::has_tokenizer(folder) || !is_adapter(folder)) return folder;
  return base_folder(folder, read_adapter(folder));
}

}  // namespace

std::string to_json(const CheckpointConfig& config) {
  json out = names_json(config);
  out["torch_dtype"] = config.dtype;
  if (config.modeling_file) {
    out["torch_dtype"] = "float32";  // to compute in; files in bf16 are read into it
    const std::string module = "modeling_mgdm.", network = out["architectures"][0];
    out["auto_map"] = {{"AutoConfig", module + "MgdmConfig"},
                       {"AutoModel", module + network},
                       {"AutoModelForMaskedLM", module + network}};
  }
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
  const JsonReader reader(document, source);
  const json& type = reader.at("model_type");
  const spec::ArchitectureKind* const kind =
      type.is_string() ? spec::architecture_of_type(type.get_ref<const std::string&>()) : nullptr;
  if (kind == nullptr) {
    std::vector<std::string> types;
    for (const spec::ArchitectureKind& known : spec::architecture_kinds())
      types.push_back(fmt::format("\"{}\"", known.model_type));
    throw reader.wrong("model_type", joined_or(types));
  }
  const bool theirs_too = has_names(*kind), ours = document.contains("mgdm");
  CheckpointConfig config;
  if (ours || !theirs_too) read_mgdm(reader.at("mgdm"), source, config);
  if (ours && config.settings.architecture != kind->name)
    throw Error(fmt::format("{}: model_type is {}, mgdm.settings.architecture \"{}\"", source,
                            formats::json_text(type), config.settings.architecture),
                "the same in both places");
  if (theirs_too) {
    const spec::ModelSettings theirs = read_names(document, *kind, source);
    if (ours)
      check_agreement(theirs, config.settings, source);
    else
      config.settings = theirs;
  }
  naming(source, [&] { spec::check(config.settings); });
  if (config.about.card) check_card(*config.about.card, config.settings, source);
  return config;
}

CheckpointConfig read_config(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "config.json";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    return parse_config(formats::read_checked_file(path, formats::kMostConfigBytes), path.string());
  if (!is_adapter(folder))
    throw Error(fmt::format("{}: no config.json", folder.string()), "the folder of a model");
  const Adapter adapter = read_adapter(folder);
  CheckpointConfig config = read_config(base_folder(folder, adapter));
  config.settings.lora = adapter.lora;
  return config;
}

bool has_vocabulary(const std::filesystem::path& folder, const CheckpointConfig& config) {
  return !config.alphabet.empty() ||
         (spec::architecture_kind(config.settings.architecture).family == spec::Family::kLlama &&
          tokenizers::has_tokenizer(tokenizer_folder(folder)));
}

data::Vocabulary read_vocabulary(const std::filesystem::path& folder,
                                 const CheckpointConfig& config) {
  if (!config.alphabet.empty()) return data::Vocabulary(config.alphabet);
  return {
      std::make_shared<tokenizers::Tokenizer>(tokenizers::load_tokenizer(tokenizer_folder(folder))),
      static_cast<int>(config.settings.vocabulary)};
}

}  // namespace mgdm::model_files
