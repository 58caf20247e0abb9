// The kernels of a build without CUDA: none takes anything.
#ifndef MGDM_CUDA

#include "base/error.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops::cuda {
namespace {

[[noreturn]] void missing() {
  MGDM_CHECK(!"a CUDA kernel was called in a build without CUDA");
  std::abort();
}

}  // namespace

at::Tensor uniform(std::uint64_t, Purpose, const at::Tensor&, const at::Tensor&, std::int64_t) {
  missing();
}

bool decoding_pass_takes(c10::Device, std::int64_t, std::int64_t) { return false; }
void decoding_pass(const at::Tensor&, const DecodingRule&, const DecodingTry&,
                   const DecodingRows&) {
  missing();
}
bool decoding_head_takes(const at::Tensor&, const at::Tensor&, std::int64_t) { return false; }
void decoding_pass(const at::Tensor&, const at::Tensor&, bool, const DecodingRule&,
                   const DecodingTry&, const DecodingRows&, const at::Tensor&) {
  missing();
}

bool answer_takes(const Transformer&, const AnswerRows&) { return false; }
std::int64_t answer_workspace(const Transformer&, const AnswerRows&) { missing(); }
void answer(const Transformer&, const DecodingRule&, const AnswerTry&, const AnswerRows&,
            const Answers&) {
  missing();
}

bool embed_takes(const EmbeddingTables&, const Shown&) { return false; }
at::Tensor embed(const EmbeddingTables&, const Shown&, double) { missing(); }

bool residual_norm_takes(const at::Tensor&, const Branch&, const Norm&) { return false; }
ResidualNorm residual_norm(const at::Tensor&, const Branch&, const Norm&, double) { missing(); }
ResidualNorm residual_norm_onto(const at::Tensor&, const Branch&, const Norm&) { missing(); }
ResidualNorm residual_norm_of(const at::Tensor&, const at::Tensor&, const Branch&, const Norm&) {
  missing();
}

bool attention_takes(const at::Tensor&) { return false; }
at::Tensor attention(const at::Tensor&, const AttentionForm&, const at::Tensor&) { missing(); }
bool attention_at_takes(const at::Tensor&, const at::Tensor&, const AttentionForm&) {
  return false;
}
at::Tensor attention_at(const at::Tensor&, const at::Tensor&, const AttentionForm&) { missing(); }
bool attention_takes_bias(const at::Tensor&, std::int64_t, const at::Tensor&) { return false; }

bool head_loss_takes(const HiddenStates&) { return false; }
at::Tensor head_loss(const HiddenStates&, const at::Tensor&, const at::Tensor&, const TokenLoss&) {
  missing();
}

bool linear_takes(const at::Tensor&, const at::Tensor&) { return false; }
at::Tensor linear(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&) {
  missing();
}
bool short_streams_take(const at::Tensor&) { return false; }
std::vector<at::Tensor> short_streams(const at::Tensor&, std::int64_t) { missing(); }
bool stream_takes_products(const at::Tensor&) { return false; }
bool mlp_takes(const at::Tensor&, const Mlp&) { return false; }
Branch mlp_gelu(const at::Tensor&, const Mlp&) { missing(); }
Branch mlp_relu_squared(const at::Tensor&, const Mlp&, const at::Tensor&) { missing(); }

bool sums_gradient_of(const at::Tensor&) { return false; }

}  // namespace mgdm::ops::cuda

#endif
