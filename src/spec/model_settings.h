// The shape of a network: the [model] section of a recipe, and part of a checkpoint's config.json.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"
#include "spec/llama_settings.h"

namespace mgdm::spec {

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
