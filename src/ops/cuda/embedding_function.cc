#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "ops/cuda/embedding.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// Kept from forward to backward; the pointers in it are those of saved tensors.
struct KeptShape : torch::CustomClassHolder {
  EmbeddingShape shape;
};

struct EmbeddingFunction : Function<EmbeddingFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& token_table,
                            const at::Tensor& position_table,
                            const std::optional<at::Tensor>& maybe_frozen_table,
                            const at::Tensor& any_tokens,
                            const std::optional<at::Tensor>& maybe_frozen, double dropout) {
    const c10::cuda::CUDAGuard guard(token_table.device());
    const at::Tensor frozen_table = tensor_or_none(maybe_frozen_table);
    const at::Tensor tokens = any_tokens.contiguous(), positions = position_table.contiguous();
    const at::Tensor frozen =
        frozen_table.defined() ? tensor_or_none(maybe_frozen).contiguous() : at::Tensor();
    MGDM_CHECK(tokens.scalar_type() == at::kLong && token_table.is_contiguous());
    MGDM_CHECK(!frozen.defined() ||
               (frozen.scalar_type() == at::kBool && frozen.sizes() == tokens.sizes() &&
                frozen_table.is_contiguous()));
    auto kept = c10::make_intrusive<KeptShape>();
    kept->shape = {.batch = tokens.size(0),
                   .length = tokens.size(1),
                   .columns = token_table.size(1),
                   .vocabulary = token_table.size(0),
                   .tokens = tokens.const_data_ptr<std::int64_t>(),
                   .frozen = frozen.defined() ? frozen.const_data_ptr<bool>() : nullptr,
                   .dropout = static_cast<float>(dropout)};
    if (dropout > 0) kept->shape.random = next_random_state();
    at::Tensor out =
        at::empty({tokens.size(0), tokens.size(1), token_table.size(1)}, token_table.options());
    const KernelWork work("embedding, forward", bytes_of({tokens, frozen, out}));
    launch_embedding({.shape = kept->shape,
                      .tokens = floats(token_table),
                      .positions = floats(positions),
                      .frozen = floats(frozen_table),
                      .out = out.data_ptr<float>()},
                     c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({tokens, frozen});
    context->saved_data["shape"] = c10::IValue::make_capsule(std::move(kept));
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const EmbeddingShape shape =
        c10::static_intrusive_pointer_cast<KeptShape>(context->saved_data["shape"].toCapsule())
            ->shape;
    const variable_list saved = context->get_saved_variables();  // whose numbers `shape` points to
    const at::Tensor dout = gradients[0].contiguous();
    const c10::cuda::CUDAGuard guard(dout.device());
    const bool has_frozen = shape.frozen != nullptr;
    at::Tensor dtables =
        at::empty({shape.vocabulary + (has_frozen ? 2 : 0), shape.columns}, dout.options());
    at::Tensor dpositions = at::empty({shape.length, shape.columns}, dout.options());
    at::Tensor workspace = at::empty({static_cast<std::int64_t>(embedding_workspace(shape))},
                                     dout.options().dtype(at::kByte));
    const KernelWork work("embedding, backward",
                          bytes_of({saved[0], saved[1], dout, dtables, dpositions}));
    launch_embedding_backward({.shape = shape,
                               .dout = floats(dout),
                               .dtokens = dtables.data_ptr<float>(),
                               .dpositions = dpositions.data_ptr<float>(),
                               .workspace = static_cast<std::byte*>(workspace.data_ptr())},
                              c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    const at::Tensor dtokens = dtables.slice(0, 0, shape.vocabulary);
    const at::Tensor dfrozen = has_frozen ? dtables.slice(0, shape.vocabulary) : at::Tensor();
    return {dtokens, dpositions, dfrozen, {}, {}, {}};
  }
};

}  // namespace

bool embed_takes(const EmbeddingTables& tables, const Shown& shown) {
  return !shown.vectors.defined() && in_bf16(tables.tokens) &&
         tables.tokens.scalar_type() == at::kFloat &&
         embedding_takes(tables.tokens.size(1), tables.tokens.size(0));
}

at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped) {
  return EmbeddingFunction::apply(tables.tokens, tables.positions, optional(tables.frozen),
                                  shown.tokens, optional(shown.frozen), dropped);
}

}  // namespace mgdm::ops::cuda

#endif
