// Embeds noised vectors and a noise level in place of tokens (ModelSettings::vectors).
//
//   frozen positions:  the token's embedding, as ever
//   the others:        input z + guess x_hat, two linear maps
//   everywhere:        + MLP(sines and cosines of gamma)
//
// log q(z | token) is added to the logits, so that they start as Bayes' rule without context gives
// them and the network need not learn it.
#pragma once

#include "nn/model.h"

namespace mgdm::nn {

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
