// What a checkpoint's config.json says in the names of Hugging Face: enough for transformers to
// build a GPT2LMHeadModel or a LlamaForCausalLM.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model_files/checkpoint_config.h"
#include "spec/kinds.h"

namespace mgdm::model_files {

// An architecture of our own has names alike.
nlohmann::ordered_json names_json(const CheckpointConfig& config);

// Whether the names alone say what a model is; then read_names reads them. An Error for a model
// that departs from what we compute.
bool has_names(const spec::ArchitectureKind& kind);
spec::ModelSettings read_names(const nlohmann::ordered_json& document,
                               const spec::ArchitectureKind& kind, const std::string& source);

// An Error unless the settings by the names and those in our block are the same: someone may have
// edited one half of the file only.
void check_agreement(const spec::ModelSettings& theirs, const spec::ModelSettings& ours,
                     const std::string& source);

}  // namespace mgdm::model_files
