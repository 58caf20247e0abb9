#ifdef MGDM_CUDA

#include "ops/cuda/decoding_pass.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// What does not depend on where the logits come from.
DecodingPass arguments_of(const DecodingRule& rule, const DecodingTry& now,
                          const DecodingRows& rows) {
  for (const at::Tensor& tensor : {rows.tokens, rows.frozen, rows.previous})
    MGDM_CHECK(tensor.is_contiguous() && tensor.sizes() == rows.tokens.sizes());
  for (const at::Tensor& tensor : {rows.items, rows.passes, rows.active, now.first_draw})
    MGDM_CHECK(tensor.is_contiguous() && tensor.numel() == rows.tokens.size(0));
  MGDM_CHECK(now.counts.is_contiguous() && now.counts.size(0) == rule.steps &&
             now.counts.size(1) == rows.tokens.size(1) + 1);
  DecodingPass arguments{};
  arguments.tokens = rows.tokens.data_ptr<std::int64_t>();
  arguments.frozen = rows.frozen.const_data_ptr<bool>();
  arguments.items = rows.items.const_data_ptr<std::int64_t>();
  arguments.previous = rows.previous.data_ptr<std::int64_t>();
  arguments.passes = rows.passes.data_ptr<std::int64_t>();
  arguments.active = rows.active.data_ptr<bool>();
  arguments.first_draw = now.first_draw.const_data_ptr<std::int64_t>();
  arguments.counts = now.counts.const_data_ptr<int>();
  arguments.rows = static_cast<int>(rows.tokens.size(0));
  arguments.length = static_cast<int>(rows.tokens.size(1));
  arguments.purpose = static_cast<std::uint32_t>(Purpose::kDecode);
  arguments.rule = rule;
  return arguments;
}

void launch(const DecodingPass& arguments) {
  C10_CUDA_CHECK(launch_decoding_pass(arguments, c10::cuda::getCurrentCUDAStream()));
}

}  // namespace

bool decoding_pass_takes(c10::Device device, std::int64_t length, std::int64_t vocabulary) {
  return device.is_cuda() && decoding_pass_memory(length, vocabulary) <= kMostDecodingMemory;
}

void decoding_pass(const at::Tensor& logits, const DecodingRule& rule, const DecodingTry& now,
                   const DecodingRows& rows) {
  const c10::cuda::CUDAGuard guard(logits.device());
  MGDM_CHECK(logits.dim() == 3 && logits.sizes().slice(0, 2) == rows.tokens.sizes());
  const at::Tensor contiguous = logits.contiguous();
  DecodingPass arguments = arguments_of(rule, now, rows);
  arguments.logits = floats(contiguous);
  arguments.vocabulary = static_cast<int>(logits.size(2));
  launch(arguments);
}

bool decoding_head_takes(const at::Tensor& hidden, const at::Tensor& head, std::int64_t length) {
  return hidden.defined() && hidden.is_cuda() && hidden.scalar_type() == at::kBFloat16 &&
         hidden.is_contiguous() && hidden.size(-1) % 16 == 0 && head.is_contiguous() &&
         head.scalar_type() == at::kFloat &&
         decoding_pass_memory(length, head.size(0)) + 16 +
                 decoding_head_memory(head.size(0), head.size(1)) <=
             kMostDecodingMemory;
}

void decoding_pass(const at::Tensor& hidden, const at::Tensor& head, bool shift,
                   const DecodingRule& rule, const DecodingTry& now, const DecodingRows& rows,
                   const at::Tensor& places) {
  const c10::cuda::CUDAGuard guard(hidden.device());
  const bool sizes_fit =
      places.defined() ? hidden.dim() == 2 && places.sizes() == rows.tokens.sizes() &&
                             places.is_contiguous() && places.scalar_type() == at::kInt
                       : hidden.dim() == 3 && hidden.sizes().slice(0, 2) == rows.tokens.sizes();
  MGDM_CHECK(sizes_fit && head.size(1) == hidden.size(-1));
  DecodingPass arguments = arguments_of(rule, now, rows);
  arguments.hidden = hidden.const_data_ptr();
  arguments.places = places.defined() ? places.const_data_ptr<int>() : nullptr;
  arguments.head = floats(head);
  arguments.shift = shift;
  arguments.vocabulary = static_cast<int>(head.size(0));
  arguments.width = static_cast<int>(head.size(1));
  launch(arguments);
}

}  // namespace mgdm::ops::cuda

#endif
