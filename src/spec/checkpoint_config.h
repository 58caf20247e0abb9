// config.json of a checkpoint: the names of Hugging Face's GPT-2, and a block `mgdm` with what they
// cannot say.
//
//   {"model_type": "gpt2", "n_embd": 384, ..., "mgdm": {"settings": {...}, "alphabet": "0123...",
//    "card": {"task": "sudoku", "decoding": {"steps": 20, ...}, ...}, "notes": {...}}}
//
// Folders of version 0.1 have the card as texts, "metadata": {"task": "\"sudoku\"",
// "decoding.steps": "20", ...}; they are read as well.
#pragma once

#include <filesystem>
#include <string>

#include "spec/model_card.h"
#include "spec/model_settings.h"

namespace mgdm::spec {

struct CheckpointConfig {
  ModelSettings settings;
  std::string alphabet;  // empty when the folder is not ours
  About about;
  std::string dtype = "float32";  // of the weights, as torch names it
};

std::string to_json(const CheckpointConfig& config);

// Errors begin with `source`. A GPT-2 without the block is a causal model; one that departs from
// what we compute (another activation, an untied head) is an Error.
CheckpointConfig parse_config(const std::string& json, const std::string& source);

// Of a checkpoint's folder.
CheckpointConfig read_config(const std::filesystem::path& folder);

}  // namespace mgdm::spec
