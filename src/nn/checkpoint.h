// Saves and loads a model as a Hugging Face folder:
//
//   model.safetensors     (or shards and an index)
//   config.json           GPT-2's or LLaMA's names, and a block `mgdm`: see checkpoint_config.h
//   tokenizer.json, tokenizer_config.json, special_tokens_map.json
//
//   save_model("models/sudoku", *model, vocabulary, {card, notes});
//   LoadedModel loaded = load_model("models/sudoku");
//
// transformers' GPT2LMHeadModel and LlamaForCausalLM load these folders, and load_model loads
// theirs. A model with LoRA is saved as PEFT does: its matrices and the place of its base
// (model_files/adapter.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "data/vocabulary.h"
#include "formats/safetensors_folder.h"
#include "model_files/checkpoint_config.h"
#include "nn/model.h"

namespace mgdm::nn {

using spec::About;

struct SaveOptions {
  std::uint64_t max_shard_bytes = formats::kDefaultShardBytes;
  formats::Dtype dtype = formats::Dtype::kF32;  // or kBF16, kF16: half the size, for shipping
};

struct LoadedModel {
  std::unique_ptr<Model> model;                // on the CPU, in fp32 except LoRA's base in bf16
  std::optional<data::Vocabulary> vocabulary;  // none when the folder does not define its tokens
  About about;                                 // task, layout, ... as they were saved
};

// Writes the files of a model into an existing folder. To save more than a model atomically (a
// training checkpoint), call it on the path of an AtomicFolder.
void write_model(const std::filesystem::path& folder, const Model& model,
                 const data::Vocabulary& vocabulary, const About& about = {},
                 const SaveOptions& options = {});

// Saves a model atomically: the folder is complete or absent, or still the older one.
void save_model(const std::filesystem::path& folder, const Model& model,
                const data::Vocabulary& vocabulary, const About& about = {},
                const SaveOptions& options = {});

// An Error names the file, the tensor and both shapes.
LoadedModel load_model(const std::filesystem::path& folder);

// Only the weights, into a model of the same shape, on its device. Every tensor is checked before
// the first is copied. Of a folder with LoRA's matrices, those and the weights of their base.
void load_weights(const std::filesystem::path& folder, Model& model);

// As above, only for the tensors that training changes: with LoRA its matrices.
void load_trained(const std::filesystem::path& folder, Model& model);

}  // namespace mgdm::nn
