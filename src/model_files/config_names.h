// The part of config.json that Hugging Face's transformers reads to build a GPT2LMHeadModel or a
// LlamaForCausalLM.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model_files/checkpoint_config.h"
#include "spec/kinds.h"

namespace mgdm::model_files {

// Our own architectures use similar names.
nlohmann::ordered_json names_json(const CheckpointConfig& config);

// Whether these names alone define the model; then read_names() reads them. An Error for a model
// that mgdm does not compute.
bool has_names(const spec::ArchitectureKind& kind);
spec::ModelSettings read_names(const nlohmann::ordered_json& document,
                               const spec::ArchitectureKind& kind, const std::string& source);

// Throws an Error unless both parts of config.json give the same settings: a user may have edited
// only one.
void check_agreement(const spec::ModelSettings& theirs, const spec::ModelSettings& ours,
                     const std::string& source);

}  // namespace mgdm::model_files
