// LLaMA (Touvron et al., 2023): pre-RMSNorm blocks, rotary positions, SwiGLU, no biases; groups of
// query heads share keys and values (LLaMA 2 70B, LLaMA 3). Tensor names are those of Hugging Face.
//
//   x += W_o attention(rope(W_q n), rope(W_k n), W_v n),   n = norm(x)
//   x += W_down (silu(W_gate n) W_up n),                   n = norm(x)
//
// With LoRA each of the seven projections has two additional small matrices, and only these are
// trained.
#pragma once

#include <vector>

#include "nn/model.h"
#include "ops/rope.h"

namespace mgdm::nn {

// A projection, with LoRA's two small matrices if there are any (Hu et al., 2021).
struct Projection {
  at::Tensor weight;    // (O, I); frozen, perhaps in bf16, where there are
  at::Tensor down, up;  // A (R, I) and B (O, R), or undefined
  double scale = 0;     // alpha / R
};

class Llama : public Model {
 public:
  Llama(const ModelSettings& settings, std::optional<std::uint64_t> seed, Drawn drawn);

  Output forward(const Input& input) override;
  at::Tensor next_logits(const at::Tensor& tokens, Cache& cache) override;

 private:
  struct Block {
    at::Tensor norm_attention, norm_mlp;  // (C)
    Projection q, k, v, o, gate, up, down;
    std::vector<at::Tensor> trained;  // of all these
  };

  Projection projection_named(const std::string& name, Block& block) const;
  at::Tensor norm_named(const std::string& name, Block& block) const;
  // The vectors of the tokens (B, N, C), where they stand at positions from `first` on.
  at::Tensor embed_tokens(const Input& input, std::int64_t first) const;
  at::Tensor attend(const Block& block, const at::Tensor& n, const ops::Turns& turns,
                    double dropout, ops::KeysAndValues* seen) const;
  at::Tensor run_block(const Block& block, const at::Tensor& x, const ops::Turns& turns,
                       double dropout, ops::KeysAndValues* seen) const;

  ops::RopeForm rope_;
  at::Tensor tokens_, norm_, head_;  // (V, C), (C), (V, C)
  std::vector<Block> blocks_;
};

}  // namespace mgdm::nn
