// The kernel of ops/decoding_pass.h, on device pointers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/decoding_rule.h"

namespace mgdm::ops::cuda {

struct DecodingPass {
  // Either logits (B, N, V) or, with logits null, hidden states (B, N, C) in bf16 and the head
  // (V, C) that makes logits of them; with `shift` position n reads state n - 1.
  const float* logits;
  const void* hidden;
  const int* places;  // (B, N): hidden is (W, C), and has a position's state there; or null
  const float* head;
  bool shift;
  std::int64_t* tokens;
  const bool* frozen;
  const std::int64_t* items;
  std::int64_t *previous, *passes;
  bool* active;
  const std::int64_t* first_draw;       // (B)
  const int* counts;                    // (T, N + 1)
  const float* noise;                   // (B, N): of the pass, where it is drawn already; or null
  int rows, length, vocabulary, width;  // B, N, V, C; C is a multiple of 16
  std::uint32_t purpose;                // of the draws
  DecodingRule rule;
  // The launcher's: where states begin in shared memory, and how many pieces of them it holds.
  int states_at, pieces;
};

// Bytes of shared memory for a row, of which most devices have kMostDecodingMemory.
std::size_t decoding_pass_memory(std::int64_t length, std::int64_t vocabulary);
// More bytes of it for a head that is applied; twice as many, where there are, make it faster.
std::size_t decoding_head_memory(std::int64_t vocabulary, std::int64_t width);
constexpr std::size_t kMostDecodingMemory = 96 << 10;

cudaError_t launch_decoding_pass(const DecodingPass& arguments, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
