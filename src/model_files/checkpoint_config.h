// config.json of a checkpoint: the names of Hugging Face's GPT-2 or LLaMA, and a block `mgdm` with
// what they cannot say.
//
//   {"model_type": "gpt2", "n_embd": 384, ..., "mgdm": {"settings": {...}, "alphabet": "0123...",
//    "card": {"task": "sudoku", "decoding": {"steps": 20, ...}, ...}, "notes": {...}}}
#pragma once

#include <filesystem>
#include <string>

#include "data/vocabulary.h"
#include "spec/model_card.h"
#include "spec/model_settings.h"

namespace mgdm::model_files {

struct CheckpointConfig {
  spec::ModelSettings settings;
  std::string alphabet;  // empty when the folder is not ours, or has a tokenizer
  spec::About about;
  std::string dtype = "float32";  // of the weights, as torch names it
  data::Specials specials{};      // for other readers: the ids of the end and of padding
  std::optional<data::Token> begin{};
  bool modeling_file = false;  // for other readers: model_files/modeling_file.h is in the folder
};

std::string to_json(const CheckpointConfig& config);

// Parses config.json; errors begin with `source`. A GPT-2 or LLaMA without the block `mgdm` is a
// causal model; a variant that mgdm does not compute (another activation, biases) is an Error.
CheckpointConfig parse_config(const std::string& json, const std::string& source);

// Reads a checkpoint's folder. A PEFT folder without config.json is described by its base model.
CheckpointConfig read_config(const std::filesystem::path& folder);

// Whether the folder says what the model's tokens are.
bool has_vocabulary(const std::filesystem::path& folder, const CheckpointConfig& config);

// The vocabulary of a model, from its alphabet or its tokenizer. An Error when the folder has
// neither.
data::Vocabulary read_vocabulary(const std::filesystem::path& folder,
                                 const CheckpointConfig& config);

}  // namespace mgdm::model_files
