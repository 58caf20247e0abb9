// The part of a decoding pass after the network, for all rows in one kernel: predictions, the
// order's choice of masks, early stopping.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ops/decoding_rule.h"
#include "ops/transformer.h"

namespace mgdm::ops {

// Whole answers by diffusion in one kernel launch, for batches too small to keep a GPU busy pass by
// pass. The results equal those of single passes (ops/decoding_pass.h) up to rounding.

// Puzzles, on CUDA.
struct AnswerRows {
  at::Tensor tokens, frozen;  // (B, N) int64, bool: what stands at positions not frozen is ignored
  at::Tensor items;           // (B) int64
};

struct AnswerTry {
  std::int64_t first_draw = 0;   // the step of the first pass's draws (decoding/attempt.h)
  at::Tensor counts{};           // as DecodingTry has them, on CUDA
  std::int64_t most_passes = 0;  // stops after so many passes, even unfinished; 0: by the rule
};

// Tokens (B, N) and passes (B), int64, in one block of memory, for one copy.
struct AnswerNumbers {
  AnswerNumbers(std::int64_t rows, std::int64_t length, const at::TensorOptions& where);

  at::Tensor all, tokens, passes;
};

// The buffers for puzzles of one shape, on their device; used for one answer after another.
struct Answers {
  Answers(const Transformer& network, const AnswerRows& rows);

  AnswerNumbers numbers;
  at::Tensor logits;     // (B, N, V) of the hidden states of the last pass that any row had
  at::Tensor workspace;  // of the kernels
};

// Whether there is a kernel for these puzzles: on a Hopper GPU, matrices in bf16, few positions.
bool answer_takes(const Transformer& network, const AnswerRows& rows);
void answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
            const AnswerRows& rows, const Answers& answers);

// Rows between two passes, on CUDA. A pass changes tokens, previous, passes and active of the
// active rows.
struct DecodingRows {
  at::Tensor tokens, frozen;  // (B, N) int64, bool
  at::Tensor items;           // (B) int64
  at::Tensor previous;        // (B, N) int64: the answer of the pass before, for early_stop
  at::Tensor passes;          // (B) int64: how many a row has had
  at::Tensor active;          // (B) bool: not finished
};

// Values that do not change over the passes, on CUDA.
struct DecodingTry {
  at::Tensor first_draw;  // (B) int64: the step of a row's first draws (decoding/attempt.h)
  at::Tensor counts;      // (T, N + 1) int32: how many of L positions topk and margin mask after
                          // pass p is at [p, L]
};

// Whether there is a kernel for rows of this length on this device.
bool decoding_pass_takes(c10::Device device, std::int64_t length, std::int64_t vocabulary);

// logits (B, N, V): the network's logits, in fp32.
void decoding_pass(const at::Tensor& logits, const DecodingRule& rule, const DecodingTry& now,
                   const DecodingRows& rows);

// A pass from hidden states (B, N, C) and a head (V, C) instead of logits; with `shift` position n
// uses state n - 1 (nn/prediction.h). bf16 and fp32; for other types it returns false and does
// nothing. With `places` (B, N) int32 the states are (W, C) and places[b, n] is the state of a
// position, -1 where nothing is decoded.
bool decoding_pass(const at::Tensor& hidden, const at::Tensor& head, bool shift,
                   const DecodingRule& rule, const DecodingTry& now, const DecodingRows& rows,
                   const at::Tensor& places = {});

}  // namespace mgdm::ops
