// What comes after the network in a pass of decoding by diffusion, for all rows in one kernel:
// predictions, the order's choice of what is masked, early stopping.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/decoding_rule.h"

namespace mgdm::ops {

// Rows between two passes, on CUDA. A pass changes tokens, previous, passes and active; it leaves a
// row that is not active as it is.
struct DecodingRows {
  at::Tensor tokens, frozen;  // (B, N) int64, bool
  at::Tensor items;           // (B) int64
  at::Tensor previous;        // (B, N) int64: the answer of the pass before, for early_stop
  at::Tensor passes;          // (B) int64: how many a row has had
  at::Tensor active;          // (B) bool: not finished
};

// What stays the same over the passes of rows, on CUDA.
struct DecodingTry {
  at::Tensor first_draw;  // (B) int64: the step of a row's first draws (decoding/draws.h)
  at::Tensor counts;      // (T, N + 1) int32: how many of L positions topk and margin mask after
                          // pass p is at [p, L]
};

// Whether there is a kernel for rows of this length on this device.
bool decoding_pass_takes(c10::Device device, std::int64_t length, std::int64_t vocabulary);

// logits (B, N, V): what the network said about the tokens, in fp32.
void decoding_pass(const at::Tensor& logits, const DecodingRule& rule, const DecodingTry& now,
                   const DecodingRows& rows);

// From hidden states (B, N, C) and a head (V, C) that makes logits of them, position n reading
// state n - 1 with `shift` (nn/prediction.h); bf16 and fp32. False, and nothing done, for others.
// With `places` (B, N) int32, states are (W, C), and the one of a position is where that says; -1
// where there is none, because nothing is decoded there.
bool decoding_pass(const at::Tensor& hidden, const at::Tensor& head, bool shift,
                   const DecodingRule& rule, const DecodingTry& now, const DecodingRows& rows,
                   const at::Tensor& places = {});

}  // namespace mgdm::ops
