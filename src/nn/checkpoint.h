// A model in a folder as the Hugging Face Hub has them:
//
//   model.safetensors     (or shards and an index)
//   config.json           GPT-2's or LLaMA's names, and a block `mgdm`: see checkpoint_config.h
//   tokenizer.json, tokenizer_config.json, special_tokens_map.json
//
//   save_model("models/sudoku", *model, vocabulary, {card, notes});
//   LoadedModel loaded = load_model("models/sudoku");
//
// `GPT2LMHeadModel.from_pretrained(folder)` loads what we save, and load_model what it saves; so
// does LlamaForCausalLM. Of a model with LoRA only its matrices are saved, as PEFT does, and where
// its base is: see spec/adapter.h.
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
  std::unique_ptr<Model> model;                // on the CPU, fp32 but for LoRA's base in bf16
  std::optional<data::Vocabulary> vocabulary;  // none when the folder says nothing of its tokens
  About about;                                 // task, layout, ...: what the one who saved it gave
};

// The files of a model into a folder that is there. To save more than a model in one stroke (a
// training checkpoint), call it on the path of an AtomicFolder.
void write_model(const std::filesystem::path& folder, const Model& model,
                 const data::Vocabulary& vocabulary, const About& about = {},
                 const SaveOptions& options = {});

// The same atomically: the folder is complete or absent, or still the older one.
void save_model(const std::filesystem::path& folder, const Model& model,
                const data::Vocabulary& vocabulary, const About& about = {},
                const SaveOptions& options = {});

// An Error names the file, the tensor and both shapes.
LoadedModel load_model(const std::filesystem::path& folder);

// Only the weights, into a model of the same shape, on its device. Every tensor is checked before
// the first is copied. Of a folder with LoRA's matrices, those and the weights of their base.
void load_weights(const std::filesystem::path& folder, Model& model);

// The same for what training changes alone: of a model with LoRA its matrices.
void load_trained(const std::filesystem::path& folder, Model& model);

}  // namespace mgdm::nn
