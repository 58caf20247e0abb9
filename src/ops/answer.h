// Whole answers by diffusion in one kernel launch, for batches too small to keep a GPU busy pass by
// pass. The results equal those of single passes (ops/decoding_pass.h) up to rounding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ops/decoding_rule.h"
#include "ops/transformer.h"

namespace mgdm::ops {

// Puzzles, on CUDA.
struct AnswerRows {
  at::Tensor tokens, frozen;  // (B, N) int64, bool: what stands at positions not frozen is ignored
  at::Tensor items;           // (B) int64
};

struct AnswerTry {
  std::int64_t first_draw = 0;   // the step of the first pass's draws (decoding/draws.h)
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

}  // namespace mgdm::ops
