// config.json of a checkpoint: the names of Hugging Face's GPT-2, and a block `mgdm` with what they
// cannot say.
//
//   {"model_type": "gpt2", "n_embd": 384, ..., "mgdm": {"settings": {...}, "alphabet": "0123...",
//    "metadata": {"task": "sudoku", ...}}}
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "spec/model_settings.h"

namespace mgdm::spec {

using Metadata = std::map<std::string, std::string>;

struct CheckpointConfig {
  ModelSettings settings;
  std::string alphabet;  // empty when the folder is not ours
  Metadata metadata;
  std::string dtype = "float32";  // of the weights, as torch names it
};

std::string to_json(const CheckpointConfig& config);

// Errors begin with `source`. A GPT-2 without the block is a causal model; one that departs from
// what we compute (another activation, an untied head) is an Error.
CheckpointConfig parse_config(const std::string& json, const std::string& source);

// Of a checkpoint's folder.
CheckpointConfig read_config(const std::filesystem::path& folder);

}  // namespace mgdm::spec
