// Embeds noised vectors and a noise level in place of tokens (ModelSettings::vectors).
//
//   frozen positions:  the token's embedding, as ever
//   the others:        input z + guess x_hat, two linear maps
//   everywhere:        + MLP(sines and cosines of gamma)
//
// log q(z | token) is added to the logits, so that they start as Bayes' rule without context gives
// them and the network need not learn it.
#pragma once

#include <ATen/core/Tensor.h>

#include "nn/model.h"

namespace mgdm::nn {

// Tokens as vectors under normal noise, as VDM has them (Kingma et al., 2021).
//
//   z = alpha x + sigma eps,   alpha^2 = sigmoid(-gamma),   sigma^2 = sigmoid(gamma)
//
// x is a token's row of a learned table, of length 1, and gamma the noise level: the logarithm of
// noise to signal, sigma^2 / alpha^2.

// alpha and sigma of noise levels of any shape.
at::Tensor signal(const at::Tensor& gamma);
at::Tensor noise(const at::Tensor& gamma);

// The rows of a table (V, D), each at length 1.
at::Tensor unit_rows(const at::Tensor& table);

// The rows (B, N, D) of a table (V, D) at tokens (B, N), like at::embedding, whose gradient may
// wait for the GPU; this one never does.
at::Tensor rows_at(const at::Tensor& table, const at::Tensor& tokens);

// z (B, N, D) from x and eps (B, N, D), at levels gamma (B).
at::Tensor noised_vectors(const at::Tensor& x, const at::Tensor& eps, const at::Tensor& gamma);

// log q(z | token) up to what all tokens share: (B, N, V) from z (B, N, D), gamma (B) and unit rows
// (V, D).
at::Tensor evidence(const at::Tensor& z, const at::Tensor& gamma, const at::Tensor& rows);

// The expected x (B, N, D) under softmax(logits), by logits (B, N, V) and unit rows (V, D).
at::Tensor expected_vectors(const at::Tensor& logits, const at::Tensor& rows);

class VectorReader {
 public:
  // Shares the tensors transformer.vdm.* with the model.
  explicit VectorReader(const Parameters& parameters);

  // (B, N, C) of an input with tokens, frozen, vectors (B, N, D) and noise_level (B); its guess may
  // be undefined. token_table is (V, C).
  at::Tensor read(const Input& input, const at::Tensor& token_table) const;

  // What it adds to the logits: (B, N, V).
  at::Tensor evidence(const Input& input) const;

 private:
  at::Tensor tokens_;            // (V, D)
  at::Tensor input_, guess_;     // (C, D)
  at::Tensor up_, up_bias_;      // (C, F), (C)
  at::Tensor down_, down_bias_;  // (C, C), (C)
};

// (B) noise levels as (B, kLevelFeatures) sines and cosines.
at::Tensor level_features(const at::Tensor& gamma);

}  // namespace mgdm::nn
