// The tensors of each architecture: the one list that initialising, counting, saving, loading and
// optimising walk.
//
//   for (const TensorSpec& tensor : tensors_of(settings)) ...   // "blocks.0.qkv", (768, 256)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/model_settings.h"

namespace mgdm::spec {

// What an optimiser needs to know: Muon takes the blocks' matrices, AdamW the rest.
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

// A network that is told a noise level reads it as so many sines and cosines.
constexpr std::int64_t kLevelFeatures = 32;

// In the order in which weights are drawn, saved and optimised. Tensor names are those of Hugging
// Face where the files are (spec/kinds.h).
std::vector<TensorSpec> tensors_of(const ModelSettings& settings);

// Those that LoRA adds: A (rank, in) and B (out, rank) for every matrix of the blocks, as
// "model.layers.0.self_attn.q_proj.lora_A.weight". None without it.
std::vector<TensorSpec> lora_tensors_of(const ModelSettings& settings);

// Of all numbers in all tensors, and of those that are trained.
std::int64_t parameter_count(const ModelSettings& settings);
std::int64_t trained_count(const ModelSettings& settings);

}  // namespace mgdm::spec
