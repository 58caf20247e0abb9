// A transformer as a struct of tensors, for operations that run the whole network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ops/attention.h"
#include "ops/layers.h"
#include "ops/residual_norm.h"

namespace mgdm::ops {

// x = embedding
// in every loop, from the second on first x = (loop_norm ? norm(x) : x) + embedding:
//   for every layer:  x += projection(attention(qkv(norm(x))));  x += mlp(norm(x))
// hidden = norm(x)
struct Transformer {
  struct Layer {
    Norm norm_attention{};
    at::Tensor qkv{}, qkv_bias{};                // (3C, C), and (3C) or undefined
    at::Tensor projection{}, projection_bias{};  // (C, C), and (C) or undefined
    Norm norm_mlp{};
    Mlp mlp{};
  };

  EmbeddingTables embedding;  // with all positions that there are
  std::vector<Layer> layers;
  std::int64_t loops = 1;
  bool loop_norm = false;
  std::int64_t heads = 1;
  AttentionForm attention;
  enum class Activation { kGelu, kReluSquared } activation = Activation::kGelu;
  Norm final_norm;
  at::Tensor head;     // (V, C): logits of hidden states ...
  bool shift = false;  // ... those about position n from state n - 1 (nn/prediction.h)
};

}  // namespace mgdm::ops
