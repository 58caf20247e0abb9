#include "model_files/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"
#include "formats/safetensors_folder.h"
#include "spec/tensors.h"

namespace mgdm::model_files {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kAdapterFile = "adapter_config.json";
constexpr std::string_view kPeft = "base_model.model.";
constexpr const char* kProjections[] = {"q_proj",    "k_proj",  "v_proj",   "o_proj",
                                        "gate_proj", "up_proj", "down_proj"};

// What we compute under another name, or not at all.
void refuse_other_forms(const Json& document, const std::string& source) {
  const auto refuse = [&](const char* key, const char* expected) {
    throw Error(
        fmt::format("{}: {} is {}", source, key, printable(formats::json_text(document[key]))),
        expected);
  };
  if (!document.contains("peft_type")) throw Error(source + ": no peft_type", "\"LORA\"");
  if (document["peft_type"] != "LORA") refuse("peft_type", "\"LORA\"");
  for (const char* key : {"use_rslora", "use_dora", "fan_in_fan_out", "lora_bias"})
    if (document.contains(key) && document[key] != false) refuse(key, "false");
  if (document.contains("bias") && document["bias"] != "none") refuse("bias", "\"none\"");
  for (const char* key : {"rank_pattern", "alpha_pattern", "modules_to_save", "layers_to_transform",
                          "layer_replication"})
    if (document.contains(key) && !document[key].empty()) refuse(key, "nothing");
  const auto targets = document.find("target_modules");
  if (targets == document.end() || !targets->is_array()) return;  // a pattern: the tensors tell
  for (const Json& target : *targets)
    if (std::find(std::begin(kProjections), std::end(kProjections), target) ==
        std::end(kProjections))
      refuse("target_modules", "the projections of attention and MLP");
}

std::string wrong_base(const formats::Safetensors& file) {
  return fmt::format("{} belongs to another base model", file.source());
}

}  // namespace

bool is_adapter(const fs::path& folder) { return is_there(folder / kAdapterFile); }

Adapter parse_adapter(const std::string& text, const std::string& source) {
  const Json document = formats::parse_ordered_json(text);
  if (!document.is_object())
    throw Error(source + ": not a JSON object", "PEFT's adapter_config.json");
  refuse_other_forms(document, source);
  Adapter adapter;
  adapter.lora.base = "fp32";  // PEFT's files do not say: nothing is rounded
  config::Fields fields(adapter.lora);
  const auto read = [&](const char* theirs, const char* ours, const Json& otherwise) {
    const Json value = document.value(theirs, otherwise);
    if (!value.is_number())
      throw Error(fmt::format("{}: {} is {}", source, theirs, printable(formats::json_text(value))),
                  "a number");
    fields.set(fmt::format("{}={}", ours, formats::json_text(value)));
  };
  with_location(source, 0, [&] {
    read("r", "rank", 8);
    read("lora_alpha", "alpha", 8);
    read("lora_dropout", "dropout", 0.0);
  });
  if (adapter.lora.rank == 0) throw Error(source + ": r is 0", "a rank of at least 1");
  if (const auto targets = document.find("target_modules");
      targets != document.end() && targets->is_array())
    adapter.targets = targets->get<std::vector<std::string>>();  // they are names: see above
  const Json base = document.value("base_model_name_or_path", Json());
  if (base.is_string()) adapter.base = base.get<std::string>();
  return adapter;
}

Adapter read_adapter(const fs::path& folder) {
  const fs::path path = folder / kAdapterFile;
  return parse_adapter(formats::read_checked_file(path, formats::kMostConfigBytes), path.string());
}

formats::Safetensors open_adapter(const fs::path& folder) {
  const Adapter adapter = read_adapter(folder);
  formats::Safetensors file = formats::open_safetensors_folder(folder, kAdapterName);
  for (const char* const projection : kProjections)
    if (!adapter.targets.empty() &&
        std::ranges::find(adapter.targets, projection) == adapter.targets.end())
      for (const formats::TensorView& tensor : file.tensors())
        if (tensor.name.find(fmt::format(".{}.", projection)) != std::string::npos)
          throw Error(
              fmt::format("{}: tensor {}, but target_modules of {} does not have {}", file.source(),
                          in_quotes(tensor.name, 200), kAdapterFile, projection),
              "the configuration that the file was written with");
  return file;
}

std::string adapter_json(const Adapter& adapter) {
  const Json document{{"peft_type", "LORA"},
                      {"task_type", "CAUSAL_LM"},
                      {"base_model_name_or_path", adapter.base},
                      {"r", adapter.lora.rank},
                      {"lora_alpha", adapter.lora.alpha},
                      {"lora_dropout", adapter.lora.dropout},
                      {"target_modules", kProjections},
                      {"bias", "none"},
                      {"fan_in_fan_out", false},
                      {"init_lora_weights", true},
                      {"inference_mode", true},
                      {"modules_to_save", nullptr},
                      {"use_rslora", false}};
  return formats::json_text(document, 2) + "\n";
}

void check_rank(const fs::path& folder, const Adapter& adapter, const spec::LoraSettings& lora) {
  if (adapter.lora.rank != lora.rank || adapter.lora.alpha != lora.alpha)
    throw Error(fmt::format("{}: LoRA of rank {} and alpha {}", folder.string(), adapter.lora.rank,
                            adapter.lora.alpha),
                fmt::format("rank {} and alpha {}", lora.rank, lora.alpha),
                fmt::format("model.lora.rank={} model.lora.alpha={}", adapter.lora.rank,
                            adapter.lora.alpha));
}

fs::path base_folder(const fs::path& folder, const Adapter& adapter) {
  std::error_code ignored;
  if (!adapter.base.empty())
    for (const fs::path& place : {fs::path(adapter.base), folder / adapter.base})
      if (fs::is_directory(place, ignored)) {
        if (!is_adapter(place)) return place;
        throw Error(fmt::format("{}: the base model {} is LoRA's matrices, too",
                                (folder / kAdapterFile).string(), in_quotes(adapter.base, 200)),
                    "the folder of a whole model", "mgdm export makes one of them and their base");
      }
  throw Error(fmt::format("{}: the base model {} is not here", (folder / kAdapterFile).string(),
                          in_quotes(adapter.base, 200)),
              "the folder of the base model",
              "base_model_name_or_path in adapter_config.json, as a folder on this machine");
}

std::string peft_name(const std::string& tensor) { return std::string(kPeft) + tensor; }

std::map<std::string, const formats::TensorView*> adapter_weights_in(
    const formats::Safetensors& file, const spec::ModelSettings& settings) {
  std::map<std::string, const formats::TensorView*> found;
  for (const spec::TensorSpec& tensor : spec::lora_tensors_of(settings)) {
    const formats::TensorView* const view = file.find(peft_name(tensor.name));
    if (view == nullptr) continue;
    if (view->shape != tensor.shape)
      throw Error(fmt::format("{}: tensor {} has shape ({})", wrong_base(file),
                              in_quotes(view->name, 200), joined_by(view->shape, ", ")),
                  fmt::format("({})", joined_by(tensor.shape, ", ")));
    found.emplace(tensor.name, view);
  }
  for (const auto& [name, view] : found) {
    const bool first = name.find(".lora_A.") != std::string::npos;
    std::string other = name;
    other.replace(name.find(first ? ".lora_A." : ".lora_B."), 8, first ? ".lora_B." : ".lora_A.");
    if (!found.contains(other))
      throw Error(fmt::format("{}: tensor {} without its other half", file.source(),
                              in_quotes(view->name, 200)),
                  "lora_A and lora_B of every projection");
  }
  if (found.size() != file.tensors().size() || found.empty())
    for (const formats::TensorView& view : file.tensors())
      if (std::ranges::none_of(found, [&](const auto& each) { return each.second == &view; }))
        throw Error(fmt::format("{}: tensor {} is none of its projections", wrong_base(file),
                                in_quotes(view.name, 200)),
                    fmt::format("a LLaMA of {} layers", settings.layers));
  if (found.empty()) throw Error(file.source() + ": no tensors", "LoRA's matrices");
  return found;
}

std::string fingerprint(const formats::Safetensors& weights) {
  constexpr std::size_t kBytes = 256;
  std::vector<std::string> lines;
  for (const formats::TensorView& tensor : weights.tensors()) {
    const auto part = tensor.bytes.first(std::min(kBytes, tensor.bytes.size()));
    const std::string_view bytes(reinterpret_cast<const char*>(part.data()), part.size());
    lines.push_back(fmt::format("{} {} {:08x}", tensor.name, joined_by(tensor.shape, ","),
                                formats::crc32c(bytes)));
  }
  std::ranges::sort(lines);  // shards come in any order
  return fmt::format("{:08x}", formats::crc32c(joined_by(lines, "\n")));
}

spec::BaseModel base_model(const fs::path& folder) {
  return {fs::absolute(folder).lexically_normal().string(),
          fingerprint(formats::open_safetensors_folder(folder))};
}

void check_base(const spec::About& about, const fs::path& folder) {
  if (!about.base || about.base->fingerprint.empty()) return;
  if (base_model(folder).fingerprint != about.base->fingerprint)
    throw Error(fmt::format("{} is not the base model that the LoRA files were trained on",
                            folder.string()),
                fmt::format("the weights that were in {}", about.base->folder));
}

}  // namespace mgdm::model_files
