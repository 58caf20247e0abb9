// The head and its loss in one pass: hidden states in; the loss, their gradient and the head's
// gradient out. The logits, and their gradient, never reach device memory.
//
//   z = W h  (V),   CE = logsumexp(z) - z[target],   L = CE + s (z[target] - mean(z))
//   v = alpha (1 - exp(-L))^beta  where tokens are reweighted, else 1
//   loss = sum over loops r and positions n of  factor[r] weight[n] v L
//
// Here L is (1 - s) CE - s mean(log p), the cross entropy with label smoothing s. The gradient
// flows through v:
//
//   dz[j] = scale factor weight (v L)' (p[j] - (1 - s) [j = target] - s / V)
//   (v L)' = alpha (1 - exp(-L))^(beta - 1) (1 - exp(-L) + beta L exp(-L))
//   dh = W^T dz,   dW = sum of dz h^T
//
// The factor after the loss (1 / number of counted tokens) is known before it: `scale`, a number in
// device memory, so that no second pass is needed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

constexpr int kMostLoops = 32;

struct HeadLoss {
  int loops;                       // R
  const void* hidden[kMostLoops];  // R tensors (rows, columns) bf16
  void* dhidden[kMostLoops];       // the same; null: no gradients are computed at all
  float factor[kMostLoops];        // what each loop counts

  const void* table;   // W: (vocabulary, columns)
  bool table_is_bf16;  // else fp32
  float* dtable;       // (vocabulary, columns); read only with dhidden

  const void* targets;    // (rows)
  bool targets_are_long;  // int64, else int32
  const float* weight;    // (rows); 0: not counted, and its hidden state is not read

  bool shift;           // position n is predicted by hidden state n - 1, position 0 by its own
  std::int64_t length;  // N: rows are B sequences of N positions; read only with `shift`

  bool reweight;
  float alpha, beta, smoothing;
  const float* scale;  // of the gradients, in device memory; null: 1

  float* loss;           // ()
  float* cross_entropy;  // (R, rows): L, or 0 where weight is 0; null: not wanted

  float* workspace;  // head_loss_workspace() bytes
  std::int64_t rows, columns, vocabulary;
};

// For which sizes there is a kernel: columns 64, 128, 192, 256, 384, 512, 768, 1024 and a
// vocabulary of at most 32, up to 512 columns 64; fewer than 2^26 rows, and 2^31 in all loops
// together.
bool head_loss_takes(std::int64_t rows, std::int64_t columns, std::int64_t vocabulary, int loops);

std::size_t head_loss_workspace(std::int64_t columns, std::int64_t vocabulary);

// Same bits in every run.
cudaError_t launch_head_loss(const HeadLoss& arguments, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
