#include "ops/decoding_pass.h"

#include "ops/cuda/functions.h"

namespace mgdm::ops {

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
