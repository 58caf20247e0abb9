// GPT-2 (Radford et al., 2019): pre-LayerNorm blocks, learned positions, gelu, tied head. Causal
// for autoregressive models, bidirectional for diffusion. Tensor names are those of Hugging Face.
#pragma once

#include "nn/model.h"
#include "nn/residual.h"
#include "nn/vector_reader.h"

namespace mgdm::nn {

class Gpt2 : public Model {
 public:
  Gpt2(const ModelSettings& settings, std::optional<std::uint64_t> seed);

  Output forward(const Input& input) override;
  at::Tensor next_logits(const at::Tensor& tokens, Cache& cache) override;
  std::optional<ops::Transformer> transformer(std::int64_t loops) const override;
  bool heeds_wanted() const override { return !reader_; }
  void keep_matrices_in_bf16() override;

 private:
  struct Linear {
    at::Tensor weight, bias;  // (out, in) and (out)
  };
  struct Block {
    Norm norm_attention;
    Linear qkv, projection;
    Norm norm_mlp;
    Linear up, down;
  };

  Norm norm_named(const std::string& name) const;
  Linear linear_named(const std::string& name) const;
  ops::AttentionForm attention_form(double dropout) const;
  static ops::Mlp mlp_of(const Block& block);
  // Attention and MLP of the norm x (B, N, C); with `seen`, these positions follow earlier ones.
  at::Tensor attend(const Block& block, const at::Tensor& x, double dropout,
                    ops::KeysAndValues* seen) const;
  Branch mlp(const Block& block, const at::Tensor& x) const;
  // Before the first attention a position is its token's embedding and its own: of a large batch,
  // with nobody to ask for gradients, all pairs of a position and a token are fewer. Then these go
  // through the first norm and product, and are looked up.
  bool looks_up(const Input& input) const;
  at::Tensor pairs(std::int64_t length) const;           // (N V, C)
  at::Tensor places_of(const at::Tensor& tokens) const;  // (B, N): the number of each one's pair
  // Attention of the first block, of the pairs' norm.
  at::Tensor attend_pairs(const at::Tensor& x, const at::Tensor& places) const;
  // With places the stream begins with pairs, and is (B N, C) after the first block. Of the last
  // block only the rows that the input wants go on.
  void run(Residual& stream, double dropout, Cache* cache, const Input& input,
           const at::Tensor& places) const;

  at::Tensor tokens_, positions_;  // (V, C), (P, C)
  std::vector<Block> blocks_;
  Norm final_;
  std::optional<VectorReader> reader_;  // of a network that reads noised vectors
};

}  // namespace mgdm::nn
