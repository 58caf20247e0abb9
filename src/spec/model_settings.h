// The shape of a network: the [model] section of a recipe, and part of a checkpoint's config.json.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

// Settings of a LLaMA beyond layers, heads and width ([model.llama]), and of LoRA ([model.lora]).
struct LlamaSettings {
  std::int64_t key_value_heads = 0;  // 0: as many as heads
  std::int64_t head_size = 0;        // 0: width / heads
  std::int64_t hidden = 0;           // of the MLP; 0: LLaMA's rule
  bool tied_head = false;
  double norm_eps = 1e-5;
  double rope_theta = 10000;
  std::string rope_scaling = "none";
  double rope_factor = 1;
  double rope_low_frequency = 1, rope_high_frequency = 4;
  std::int64_t rope_original_positions = 8192;

  void visit(config::Visitor& v);
  bool operator==(const LlamaSettings&) const = default;
};

// LoRA (Hu et al., 2021): y = x W^T + alpha / rank (x A^T) B^T, W frozen.
struct LoraSettings {
  std::int64_t rank = 0;  // 0: everything is trained
  double alpha = 32;
  double dropout = 0;
  std::string base = "bf16";

  void visit(config::Visitor& v);
  bool operator==(const LoraSettings&) const = default;
};

struct ObjectiveKind;

struct ModelSettings {
  std::string architecture = "gpt2";
  std::int64_t layers = 3;
  std::int64_t heads = 12;
  std::int64_t width = 384;
  std::int64_t positions = 512;
  std::int64_t loops = 4;
  double dropout = 0.1;
  bool causal = false;
  bool shift = true;
  bool frozen_embedding = false;
  bool loop_norm = false;
  std::int64_t vectors = 0;
  std::int64_t vocabulary = 31;
  LlamaSettings llama;
  LoraSettings lora;

  void visit(config::Visitor& v);

  // Where 0 stands for what follows from the rest.
  std::int64_t head_size() const;
  std::int64_t key_value_heads() const;
  std::int64_t hidden() const;  // of a LLaMA's MLP
};

// UsageError when the settings do not fit together (heads must divide width, ...), or do not fit
// the objective.
void check(const ModelSettings& settings);
void check(const ModelSettings& settings, const ObjectiveKind& objective);

}  // namespace mgdm::spec
