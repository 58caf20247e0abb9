// The embedding of a network's input: the sum of a row for the token, one for its position and, if
// there is a table, one for whether the position is frozen.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops {

struct EmbeddingTables {
  at::Tensor tokens{};     // (V, C)
  at::Tensor positions{};  // (N, C): those of the positions shown
  at::Tensor frozen{};     // (2, C), or undefined
};

struct Shown {
  at::Tensor tokens{};   // (B, N) int64
  at::Tensor vectors{};  // (B, N, C) in place of the tokens' rows; undefined: the tokens
  at::Tensor frozen{};   // (B, N) bool; read where there is a table for it
};

// dropout(tokens[shown] + positions + frozen[shown]): (B, N, C).
at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped);

}  // namespace mgdm::ops
