#include "ops/decoding_pass.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "ops/cuda/functions.h"

namespace mgdm::ops {

bool answer_takes(const Transformer& network, const AnswerRows& rows) {
  return cuda::answer_takes(network, rows);
}

AnswerNumbers::AnswerNumbers(std::int64_t rows, std::int64_t length, const at::TensorOptions& where)
    : all(at::empty({rows * (length + 1)}, where.dtype(at::kLong))),
      tokens(all.slice(0, 0, rows * length).view({rows, length})),
      passes(all.slice(0, rows * length)) {}

Answers::Answers(const Transformer& network, const AnswerRows& rows)
    : numbers(rows.tokens.size(0), rows.tokens.size(1), rows.tokens.options()),
      logits(at::empty({rows.tokens.size(0), rows.tokens.size(1), network.head.size(0)},
                       rows.tokens.options().dtype(at::kFloat))),
      workspace(at::zeros({cuda::answer_workspace(network, rows)},
                          rows.tokens.options().dtype(at::kByte))) {}

void answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
            const AnswerRows& rows, const Answers& answers) {
  cuda::answer(network, rule, now, rows, answers);
}

bool decoding_pass_takes(c10::Device device, std::int64_t length, std::int64_t vocabulary) {
  return cuda::decoding_pass_takes(device, length, vocabulary);
}

void decoding_pass(const at::Tensor& logits, const DecodingRule& rule, const DecodingTry& now,
                   const DecodingRows& rows) {
  cuda::decoding_pass(logits, rule, now, rows);
}

bool decoding_pass(const at::Tensor& hidden, const at::Tensor& head, bool shift,
                   const DecodingRule& rule, const DecodingTry& now, const DecodingRows& rows,
                   const at::Tensor& places) {
  if (!cuda::decoding_head_takes(hidden, head, rows.tokens.size(1))) return false;
  cuda::decoding_pass(hidden, head, shift, rule, now, rows, places);
  return true;
}

}  // namespace mgdm::ops
