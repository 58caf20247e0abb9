// The files of a model's folder, from tensors wherever they come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "data/vocabulary.h"
#include "formats/safetensors_folder.h"
#include "model_files/history.h"
#include "spec/model_card.h"
#include "spec/model_settings.h"

namespace mgdm::model_files {

struct ModelFiles {
  spec::ModelSettings settings;
  const data::Vocabulary& vocabulary;
  spec::About about;
  formats::Dtype dtype = formats::Dtype::kF32;  // of the tensors
  std::uint64_t max_shard_bytes = formats::kDefaultShardBytes;
  bool modeling_file = false;  // with what transformers needs to load the network
};

// Into a folder that is there: weights, config.json, tokenizer files. The tensors stand as files
// have them (model_files/weights.h).
void write_model_files(const std::filesystem::path& folder,
                       std::span<const formats::TensorView> tensors, const ModelFiles& files);

// write_model_files() for LoRA's matrices alone, in PEFT's layout (model_files/adapter.h).
// files.about.base names the model that they adapt.
void write_adapter_files(const std::filesystem::path& folder,
                         std::span<const formats::TensorView> tensors, const ModelFiles& files);

struct CopyOptions {
  formats::Dtype dtype = formats::Dtype::kBF16;  // of the tensors
  std::uint64_t max_shard_bytes = formats::kDefaultShardBytes;
  std::optional<std::string> arithmetic = {};  // that the card names; none: as before
  History history = {};                        // written beside the weights; empty: none
  bool modeling_file = false;                  // with what transformers needs to load the network
};

// The model of a folder in another folder, atomically. Only what belongs to the model comes along;
// LoRA's matrices become part of those of their base. An Error when the model says nothing of its
// tokens, or has no card for the arithmetic, a UsageError when it needs no modelling file.
void copy_model(const std::filesystem::path& from, const std::filesystem::path& to,
                const CopyOptions& options);

// The vocabulary as files of the `tokenizers` library: every character is a token.

// tokenizer.json, tokenizer_config.json and special_tokens_map.json; of a vocabulary by a tokenizer
// the files that it came from. An Error when the alphabet is
// not ASCII: those files hold text, our tokens are bytes.
void write_tokenizer_files(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
                           std::int64_t max_length);

}  // namespace mgdm::model_files
