// The sum of a token's row, a position's row and the row of whether it is frozen, dropped out; and
// the tables' gradients, whose sums have a fixed order: equal inputs give equal bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {

struct EmbeddingShape {
  std::int64_t batch, length, columns, vocabulary;  // B, N, C, V
  const std::int64_t* tokens;                       // (B, N)
  const bool* frozen;                               // (B, N), or null: there is no table for it
  float dropout = 0;
  RandomState random = {};  // the same for forward and backward
};

struct EmbeddingForward {
  EmbeddingShape shape;
  const float *tokens, *positions, *frozen;  // (V, C), (N, C), (2, C)
  float* out;                                // (B, N, C)
};
void launch_embedding(const EmbeddingForward& arguments, cudaStream_t stream);

struct EmbeddingBackward {
  EmbeddingShape shape;
  const float* dout;     // (B, N, C)
  float* dtokens;        // (V, C), and behind it the (2, C) of frozen, where that is not null
  float* dpositions;     // (N, C)
  std::byte* workspace;  // of embedding_workspace() bytes
};
void launch_embedding_backward(const EmbeddingBackward& arguments, cudaStream_t stream);
std::size_t embedding_workspace(const EmbeddingShape& shape);

// Columns in multiples of 128, and vocabularies of some hundreds.
bool embedding_takes(std::int64_t columns, std::int64_t vocabulary);

}  // namespace mgdm::ops::cuda
