// Settings of a LLaMA beyond layers, heads and width ([model.llama]), and of LoRA ([model.lora]).
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

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

}  // namespace mgdm::spec
