// The interface of a network: rows in, a prediction for every position out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/parameters.h"
#include "nn/prediction.h"
#include "ops/attention.h"
#include "ops/layers.h"
#include "ops/transformer.h"
#include "spec/model_settings.h"

namespace mgdm::nn {

using spec::ModelSettings;

// The keys and values of the positions that a causal network has seen, per layer (and loop).
struct Cache {
  std::vector<ops::KeysAndValues> layers;
  std::int64_t length = 0;

  // The cache of some rows, by their numbers (R) int64.
  Cache of_rows(const at::Tensor& rows) const;
};

// The input of a network.
struct Input {
  at::Tensor tokens{};     // (B, N) int64
  at::Tensor frozen{};     // (B, N) bool
  bool training = false;   // turns dropout on
  std::int64_t loops = 0;  // looped: how often the blocks are applied; 0 = as the settings say
  at::Tensor earlier{};    // looped with loop_norm: the hidden states (B, N, C) that earlier loops
                           // left, from which these go on; undefined: these are the first
  at::Tensor vectors{};    // (B, N, C) in place of the tokens' embeddings; undefined: the tokens
  at::Tensor noise_level{};  // (B): the noise level of the rows, for networks that read it:
                             // those of settings.vectors = D, whose vectors are (B, N, D) ...
  at::Tensor guess{};        // ... and which may see what they guessed before, (B, N, D)
  bool recompute = false;    // keep little for the backward pass: nn/recompute.h
  at::Tensor wanted{};  // (W) int64: numbers of the rows of (B N) whose hidden states are wanted;
                        // undefined: all. A network that supports it returns (W, C).
};

class Model {
 public:
  // The tensors of spec::tensors_of(settings).
  Model(const ModelSettings& settings, std::optional<std::uint64_t> seed,
        Drawn drawn = Drawn::kAll);
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  virtual Output forward(const Input& input) = 0;

  // Logits (B, V) about the token after `tokens` (B, n), which follow what the cache has seen; the
  // cache grows. Causal models only.
  virtual at::Tensor next_logits(const at::Tensor& tokens, Cache& cache);

  // The network as tensors, shared with it; nothing if it is more than an ops::Transformer. `loops`
  // as in Input.
  virtual std::optional<ops::Transformer> transformer(std::int64_t loops) const;

  // Whether forward() supports Input::wanted.
  virtual bool heeds_wanted() const { return false; }

  const ModelSettings& settings() const { return settings_; }
  const Parameters& parameters() const { return parameters_; }
  c10::Device device() const { return parameters_.all().front().value.device(); }
  void to(c10::Device device) { parameters_.to(device); }

  // Rounds the weights to bf16 once, for a model that only answers in bf16 mixed precision, which
  // would round them in every pass.
  virtual void keep_matrices_in_bf16() { parameters_.keep_matrices_in_bf16(); }

 protected:
  // A model with its own tensors, for one that is not an architecture of spec/.
  Model(const ModelSettings& settings, Parameters parameters);

  // The embedding (B, n, C) of the input at positions from `first` on. Error when the model has
  // fewer positions; tables.positions has all of them.
  at::Tensor embed(ops::EmbeddingTables tables, const Input& input, std::int64_t first = 0,
                   double dropout = 0) const;

  const ModelSettings settings_;
  Parameters parameters_;
};

// UsageError when the settings do not fit together. Without a seed no weights are drawn, for a
// model whose weights are loaded next; with LoRA only its matrices are drawn and the base is
// loaded.
std::unique_ptr<Model> make_model(const ModelSettings& settings, std::optional<std::uint64_t> seed,
                                  Drawn drawn = Drawn::kAll);

}  // namespace mgdm::nn
