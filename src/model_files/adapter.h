// LoRA's matrices in a folder of their own, as PEFT writes them beside no base model:
//
//   adapter_config.json          rank, alpha, the base model's folder
//   adapter_model.safetensors    base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight,
//   ...
//
// Our adapters also have config.json and the tokenizer's files: what the model answers, and which
// base model it needs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "spec/model_card.h"
#include "spec/model_settings.h"

namespace mgdm::model_files {

inline constexpr const char* kAdapterName = "adapter_model";  // .safetensors

struct Adapter {
  spec::LoraSettings lora;
  std::string base;  // as adapter_config.json names it
  // The projections that have matrices, "q_proj"; empty where a pattern names them: the file tells.
  std::vector<std::string> targets = {};
};

// Whether a folder holds an adapter.
bool is_adapter(const std::filesystem::path& folder);

// Throws an Error for variants of LoRA that mgdm does not compute.
Adapter read_adapter(const std::filesystem::path& folder);
Adapter parse_adapter(const std::string& json, const std::string& source);
std::string adapter_json(const Adapter& adapter);

// Opens the weights of an adapter. An Error when the file has matrices of projections that the
// adapter does not name: PEFT ignores those and would compute something else.
formats::Safetensors open_adapter(const std::filesystem::path& folder);

// An Error unless the adapter in `folder` has the rank and alpha of `lora`.
void check_rank(const std::filesystem::path& folder, const Adapter& adapter,
                const spec::LoraSettings& lora);

// Finds the folder of the base model: the name is resolved from the current folder, then from the
// adapter's folder. An Error when it is in neither place or is not a complete model.
std::filesystem::path base_folder(const std::filesystem::path& folder, const Adapter& adapter);

// "model.layers..." -> "base_model.model.model.layers...".
std::string peft_name(const std::string& tensor);

// Maps the names of lora_tensors_of(settings) to the file's tensors. PEFT may leave some
// projections out: then both A and B are missing. An Error when the file belongs to another base
// model.
std::map<std::string, const formats::TensorView*> adapter_weights_in(
    const formats::Safetensors& file, const spec::ModelSettings& settings);

// A short hash over the names, shapes and some bytes of all tensors. Two models share it only if
// they are the same as far as these say.
std::string fingerprint(const formats::Safetensors& weights);

// The folder and fingerprint of a base model.
spec::BaseModel base_model(const std::filesystem::path& folder);

// Throws an Error unless the base model in `folder` is the one that the adapter was trained on.
// Nothing is checked when that is unknown.
void check_base(const spec::About& about, const std::filesystem::path& folder);

}  // namespace mgdm::model_files
