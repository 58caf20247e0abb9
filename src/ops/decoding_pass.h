// The part of a decoding pass after the network, for all rows in one kernel: predictions, the
// order's choice of masks, early stopping.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/decoding_rule.h"

namespace mgdm::ops {

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
  at::Tensor first_draw;  // (B) int64: the step of a row's first draws (decoding/draws.h)
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
