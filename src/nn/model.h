// What a network is to the rest of the program: rows in, a prediction for every position out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/parameters.h"
#include "nn/prediction.h"
#include "ops/attention.h"
#include "ops/embedding.h"
#include "ops/transformer.h"
#include "spec/model_settings.h"

namespace mgdm::nn {

using spec::ModelSettings;

// What a causal network remembers of the positions it has seen, per layer (and loop).
struct Cache {
  std::vector<ops::KeysAndValues> layers;
  std::int64_t length = 0;

  // Of some rows, by their numbers (R) int64.
  Cache of_rows(const at::Tensor& rows) const;
};

// What a network is shown.
struct Input {
  at::Tensor tokens{};     // (B, N) int64
  at::Tensor frozen{};     // (B, N) bool
  bool training = false;   // turns dropout on
  std::int64_t loops = 0;  // looped: how often the blocks are applied; 0 = as the settings say
  at::Tensor earlier{};    // looped with loop_norm: the hidden states (B, N, C) that earlier loops
                           // left, from which these go on; undefined: these are the first
  at::Tensor vectors{};    // (B, N, C) in place of the tokens' embeddings; undefined: the tokens
  at::Tensor noise_level{};  // (B): how noisy the rows are, for networks that have a use for it:
                             // those of settings.vectors = D, whose vectors are (B, N, D) ...
  at::Tensor guess{};        // ... and which may see what they guessed before, (B, N, D)
  bool recompute = false;    // keep little for the backward pass: nn/recompute.h
  at::Tensor wanted{};  // (W) int64: numbers of the rows of (B N) whose hidden states are wanted;
                        // undefined: all. A network that heeds it gives (W, C).
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

  // The network as tensors, which it shares, or nothing where it is more than a Transformer is;
  // `loops` as Input has it.
  virtual std::optional<ops::Transformer> transformer(std::int64_t loops) const;

  // Whether forward() heeds Input::wanted.
  virtual bool heeds_wanted() const { return false; }

  const ModelSettings& settings() const { return settings_; }
  const Parameters& parameters() const { return parameters_; }
  c10::Device device() const { return parameters_.all().front().value.device(); }
  void to(c10::Device device) { parameters_.to(device); }

  // For a model that will only answer, in bf16 mixed precision: what that would round in every pass
  // is rounded once.
  virtual void keep_matrices_in_bf16() { parameters_.keep_matrices_in_bf16(); }

 protected:
  // With tensors of its own, for a model that is no architecture of spec/.
  Model(const ModelSettings& settings, Parameters parameters);

  // What the input is to the network (B, n, C), where it stands at positions from `first` on.
  // Error when they are more than the model has; tables.positions has all of those.
  at::Tensor embed(ops::EmbeddingTables tables, const Input& input, std::int64_t first = 0,
                   double dropout = 0) const;

  const ModelSettings settings_;
  Parameters parameters_;
};

// UsageError when the settings do not fit together. Without a seed the weights are not drawn: for a
// model whose weights are loaded next; or only those of LoRA are, beside a base that is.
std::unique_ptr<Model> make_model(const ModelSettings& settings, std::optional<std::uint64_t> seed,
                                  Drawn drawn = Drawn::kAll);

}  // namespace mgdm::nn
