// What a network is to the rest of the program: tokens in, logits for every position out.
//
// Position n of the logits is about token n, always. A model with `shift` reads it off hidden state
// n-1, as the paper's released code does (position 0 reuses its own): an autoregressive model must,
// a diffusion model may.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/parameters.h"
#include "spec/model_settings.h"

namespace mgdm::nn {

using spec::ModelSettings;

// Keys and values of the positions seen so far, per layer (and loop): (B, H, M, D).
struct Cache {
  std::vector<at::Tensor> keys, values;
  std::int64_t length = 0;
};

// Puts the new positions `now` behind those already `seen` (null: nothing is kept), in both.
void extend(at::Tensor* seen, at::Tensor& now);

// What a network is shown.
struct Input {
  at::Tensor tokens;       // (B, N) int64
  at::Tensor frozen;       // (B, N) bool
  bool training = false;   // turns dropout on
  std::int64_t loops = 0;  // looped: how often the blocks are applied; 0 = as the settings say
};

class Model {
 public:
  Model(const ModelSettings& settings, std::optional<std::uint64_t> seed)
      : settings_(settings), parameters_(seed) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Logits (B, N, V) after each loop, the last one being the answer; a model without loops gives
  // one.
  virtual std::vector<at::Tensor> forward(const Input& input) = 0;

  // Logits (B, V) about the token after `tokens` (B, n), which follow what the cache has seen; the
  // cache grows. Causal models only.
  virtual at::Tensor next_logits(const at::Tensor& tokens, Cache& cache);

  const ModelSettings& settings() const { return settings_; }
  const Parameters& parameters() const { return parameters_; }
  c10::Device device() const { return parameters_.all().front().value.device(); }
  void to(c10::Device device) { parameters_.to(device); }

 protected:
  // Rows (B, n, C) of the tables (V, C) and (P, C) for tokens (B, n) that stand at positions from
  // `first` on. Error when they are more than the model has.
  at::Tensor embed(const at::Tensor& token_table, const at::Tensor& position_table,
                   const at::Tensor& tokens, std::int64_t first) const;

  // Logits (..., V) from hidden states (..., C) by a table (V, C); fp32 also in mixed precision,
  // where a bf16 logit of 16 could not tell two tokens apart that differ by less than 0.06.
  static at::Tensor head(const at::Tensor& hidden, const at::Tensor& table);

  // (B, N, V) about the next token becomes (B, N, V) about the own one.
  at::Tensor aligned(const at::Tensor& logits) const;

  const ModelSettings settings_;
  Parameters parameters_;
};

// UsageError when the settings do not fit together. Without a seed the weights are not drawn: for a
// model whose weights are loaded next.
std::unique_ptr<Model> make_model(const ModelSettings& settings, std::optional<std::uint64_t> seed);

}  // namespace mgdm::nn
