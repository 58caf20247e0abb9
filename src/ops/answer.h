// Whole answers by diffusion in one launch, for batches too small to keep a GPU busy pass by pass:
// what passes of a network and ops/decoding_pass.h give, up to rounding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ops/decoding_rule.h"
#include "ops/transformer.h"

namespace mgdm::ops {

// By one block on each multiprocessor; by clusters of blocks, which Hopper has, for very few
// positions; or by the quicker one of those that there are, found out by trying.
enum class AnswerKernel { kAuto, kGrid, kCluster };

// Puzzles, on CUDA.
struct AnswerRows {
  at::Tensor tokens, frozen;  // (B, N) int64, bool: what stands at positions not frozen is ignored
  at::Tensor items;           // (B) int64
};

struct AnswerTry {
  std::int64_t first_draw = 0;   // the step of the first pass's draws (decoding/draws.h)
  at::Tensor counts{};           // as DecodingTry has them, on CUDA
  std::int64_t most_passes = 0;  // stops there, perhaps unfinished; 0: as the rule says
  AnswerKernel kernel = AnswerKernel::kAuto;
};

// Tokens (B, N) and passes (B), int64, in one piece: one copy takes them to another place.
struct AnswerNumbers {
  AnswerNumbers(std::int64_t rows, std::int64_t length, const at::TensorOptions& where);

  at::Tensor all, tokens, passes;
};

// What puzzles of one shape are answered in, on their device; one answer after the other.
struct Answers {
  Answers(const Transformer& network, const AnswerRows& rows);

  AnswerNumbers numbers;
  at::Tensor logits;     // (B, N, V) of the hidden states of the last pass that any row had
  at::Tensor workspace;  // of the kernels
};

// Whether there is a kernel for these puzzles: on CUDA, matrices in bf16, few positions in all.
bool answer_takes(const Transformer& network, const AnswerRows& rows,
                  AnswerKernel kernel = AnswerKernel::kAuto);
void answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
            const AnswerRows& rows, const Answers& answers);

}  // namespace mgdm::ops
