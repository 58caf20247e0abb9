// LoRA's matrices in a folder of their own, as PEFT writes them beside no base model:
//
//   adapter_config.json          rank, alpha, the base model's folder
//   adapter_model.safetensors    base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight,
//   ...
//
// Ours has config.json and the tokenizer's files, too: what the model answers, and which base it
// is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "spec/llama_settings.h"
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

// An Error for forms of LoRA that we do not compute.
Adapter read_adapter(const std::filesystem::path& folder);
Adapter parse_adapter(const std::string& json, const std::string& source);
std::string adapter_json(const Adapter& adapter);

// The file of an adapter. An Error when it has matrices of projections that the adapter does not
// name: PEFT leaves those out, and would compute something else.
formats::Safetensors open_adapter(const std::filesystem::path& folder);

// An Error unless the adapter in `folder` has the rank and alpha of `lora`.
void check_rank(const std::filesystem::path& folder, const Adapter& adapter,
                const spec::LoraSettings& lora);

// Where the base model is: as it is named, from here or from the adapter's own folder. An Error
// when it is in neither place, or no whole model.
std::filesystem::path base_folder(const std::filesystem::path& folder, const Adapter& adapter);

// "model.layers..." -> "base_model.model.model.layers...".
std::string peft_name(const std::string& tensor);

// The file's tensors by the names of lora_tensors_of(settings). PEFT may have left some projections
// alone: those are missing, A and B both. An Error when the file is for another base model.
std::map<std::string, const formats::TensorView*> adapter_weights_in(
    const formats::Safetensors& file, const spec::ModelSettings& settings);

// A short text that two models' weights have in common only if they are the same, as far as names,
// shapes and some bytes of each tensor say.
std::string fingerprint(const formats::Safetensors& weights);

// The folder and fingerprint of a base model.
spec::BaseModel base_model(const std::filesystem::path& folder);

// An Error unless the base model in `folder` is the one that the adapter was trained on, where that
// is known.
void check_base(const spec::About& about, const std::filesystem::path& folder);

}  // namespace mgdm::model_files
