// Tokens as vectors under normal noise, as VDM has them (Kingma et al., 2021).
//
//   z = alpha x + sigma eps,   alpha^2 = sigmoid(-gamma),   sigma^2 = sigmoid(gamma)
//
// x is a token's row of a learned table, of length 1, and gamma the noise level: the logarithm of
// noise to signal, sigma^2 / alpha^2.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::nn {

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

}  // namespace mgdm::nn
