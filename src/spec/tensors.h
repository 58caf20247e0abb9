// The list of tensors of each architecture. Initialising, counting, saving, loading and optimising
// all walk this one list.
//
//   for (const TensorSpec& tensor : tensors_of(settings)) ...   // "blocks.0.qkv", (768, 256)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/model_settings.h"

namespace mgdm::spec {

// What an optimiser needs to know: Muon takes the blocks' matrices, AdamW everything else.
enum class Role { kMatrix, kOther };

// How a tensor starts. Standard deviation 0 is all `constant`: zeros, or ones for norm weights.
struct Init {
  double std = 0;
  double constant = 0;
};

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;  // matrices are (out, in)
  Init init;
  Role role = Role::kOther;
  bool frozen = false;  // never trained
  bool half = false;    // kept in bf16
};

// A network that reads a noise level gets it as so many sines and cosines.
constexpr std::int64_t kLevelFeatures = 32;

// All tensors, in the order in which weights are drawn, saved and optimised. Where files have
// Hugging Face's names, so have the tensors (spec/kinds.h).
std::vector<TensorSpec> tensors_of(const ModelSettings& settings);

// The tensors that LoRA adds: A (rank, in) and B (out, rank) for every matrix of the blocks, named
// as "model.layers.0.self_attn.q_proj.lora_A.weight". Empty without LoRA.
std::vector<TensorSpec> lora_tensors_of(const ModelSettings& settings);

// The numbers in all tensors, and in those that are trained.
std::int64_t parameter_count(const ModelSettings& settings);
std::int64_t trained_count(const ModelSettings& settings);

}  // namespace mgdm::spec
