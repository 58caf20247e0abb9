#include "ops/embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>

#include "ops/cuda/functions.h"
#include "ops/residual_norm.h"

namespace mgdm::ops {

at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped) {
  if (cuda::embed_takes(tables, shown)) return cuda::embed(tables, shown, dropped);
  at::Tensor x =
      shown.vectors.defined() ? shown.vectors : at::embedding(tables.tokens, shown.tokens);
  x = x + tables.positions;
  if (tables.frozen.defined()) x = x + at::embedding(tables.frozen, shown.frozen.to(at::kLong));
  return dropout(x, dropped);
}

}  // namespace mgdm::ops
