// Whole answers in one launch: all passes of decoding by diffusion of a few rows, the network and
// the choice after it (decoding_pass.h), with no return to the host. The kernel
// (hopper/cluster_answer.cu) is for Hopper, and for a batch so small that there is a cluster of 16
// blocks for every 16 positions.
//
// A cluster computes 16 positions of a row through the whole network. Each of its blocks computes a
// sixteenth of the columns of every matmul and writes them into the shared memory of all 16. Only
// keys and values (once per layer) and logits (once per pass) go through device memory and wait for
// all clusters; with a single row they are words that carry the number of their layer or pass,
// without a barrier. Weights come through a ring of buffers in shared memory, each 1/16 of a matrix
// (C, C), which asynchronous copies fill. Every block computes the order's choice itself, so it
// knows all tokens of its row.
//
// Numbers are those of the kernels for larger batches: products of bf16 numbers added up in fp32,
// the residual stream in fp32, logits as precise as in fp32. Every sum has one order: equal inputs
// give equal bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/cuda/decoding_pass.h"

namespace mgdm::ops::cuda {

constexpr int kMostAnswerLayers = 16;

// A layer norm; without weight and bias an RMS norm.
struct AnswerNorm {
  const float *weight = nullptr, *bias = nullptr;
};

// Matrices are bf16, (O, I); biases may be null.
struct AnswerLayer {
  AnswerNorm norm_attention, norm_mlp;
  const void *qkv, *projection, *up, *down;
  const void* qkv_bias;
  const float *projection_bias, *up_bias, *down_bias;
};

struct AnswerShape {
  int rows, length;                      // B, N
  int width, hidden, heads, vocabulary;  // C, H of the MLP, heads of attention, V
  int layers;
};

struct Answer {
  AnswerShape shape;
  AnswerLayer layer[kMostAnswerLayers];
  int loops;
  bool loop_norm;                                   // nn/looped.h
  const float *tokens, *positions, *frozen, *head;  // (V, C), (>= N, C), (2, C) or null, (V, C)
  AnswerNorm final_norm;
  float norm_eps;
  float scale, head_norm_eps;  // of attention; no norm of its heads where that is 0
  bool causal, gelu, qkv_bias_is_bf16;

  DecodingPass pass;          // its logits, hidden, head, previous, active, first_draw are not read
  const std::int64_t* given;  // (B, N): what stands at frozen positions
  std::int64_t first_draw;
  int most_passes;
  float* logits;    // (B, N, V): the network's logits of the last pass, per state
  void* workspace;  // answer_workspace() bytes, aligned to 256: zeros, or what a launch left there
};

// Whether there is a kernel for it on the current device.
bool answer_takes(const AnswerShape& shape);
std::size_t answer_workspace(const AnswerShape& shape);
cudaError_t launch_answer(const Answer& answer, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
