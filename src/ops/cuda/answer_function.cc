#ifdef MGDM_CUDA

#include <algorithm>

#include "ops/cuda/answer.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/tensor_products.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

AnswerShape shape_of(const Transformer& network, const AnswerRows& rows) {
  const auto size = [](const at::Tensor& tensor, int dimension) {
    return static_cast<int>(tensor.size(dimension));
  };
  return {.rows = size(rows.tokens, 0),
          .length = size(rows.tokens, 1),
          .width = size(network.embedding.tokens, 1),
          .hidden = size(network.layers.front().mlp.up, 0),
          .heads = static_cast<int>(network.heads),
          .vocabulary = size(network.head, 0),
          .layers = static_cast<int>(network.layers.size())};
}

bool is_on(c10::Device device, const at::Tensor& tensor, at::ScalarType type) {
  return tensor.device() == device && tensor.scalar_type() == type && tensor.is_contiguous() &&
         reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 16 == 0;
}

// On the device in the right type, or undefined.
class Fits {
 public:
  explicit Fits(c10::Device device) : device_(device) {}

  bool table(const at::Tensor& tensor) const { return is_on(device_, tensor, at::kFloat); }
  bool optional_table(const at::Tensor& tensor) const { return !tensor.defined() || table(tensor); }
  bool matrix(const at::Tensor& tensor) const { return is_on(device_, tensor, at::kBFloat16); }
  bool norm(const Norm& some, double eps) const {
    return some.eps == eps && some.weight.defined() == some.bias.defined() &&
           optional_table(some.weight) && optional_table(some.bias);
  }
  bool layer(const Transformer::Layer& some, double eps) const {
    const bool biases = optional_table(some.projection_bias) && optional_table(some.mlp.up_bias) &&
                        optional_table(some.mlp.down_bias) &&
                        (optional_table(some.qkv_bias) || matrix(some.qkv_bias));
    return biases && norm(some.norm_attention, eps) && norm(some.norm_mlp, eps) &&
           matrix(some.qkv) && matrix(some.projection) && matrix(some.mlp.up) &&
           matrix(some.mlp.down);
  }

 private:
  c10::Device device_;
};

bool is_rounded(const at::Tensor& tensor) {
  return tensor.defined() && tensor.scalar_type() == at::kBFloat16;
}

bool fits(const Transformer& network, c10::Device device) {
  const Fits fits(device);
  const double eps = network.final_norm.eps;
  const bool biases_alike = std::ranges::all_of(network.layers, [&](const auto& layer) {
    return is_rounded(layer.qkv_bias) == is_rounded(network.layers.front().qkv_bias);
  });
  // A loop starts from an RMS norm.
  const bool loops_fit = !network.loop_norm || !network.final_norm.weight.defined();
  return biases_alike && loops_fit && network.attention.dropout == 0 &&
         fits.table(network.embedding.tokens) && fits.table(network.embedding.positions) &&
         fits.optional_table(network.embedding.frozen) && fits.table(network.head) &&
         fits.norm(network.final_norm, eps) &&
         std::ranges::all_of(network.layers,
                             [&](const auto& layer) { return fits.layer(layer, eps); });
}

AnswerNorm norm_of(const Norm& norm) { return {floats(norm.weight), floats(norm.bias)}; }

AnswerLayer layer_of(const Transformer::Layer& layer) {
  return {.norm_attention = norm_of(layer.norm_attention),
          .norm_mlp = norm_of(layer.norm_mlp),
          .qkv = raw(layer.qkv),
          .projection = raw(layer.projection),
          .up = raw(layer.mlp.up),
          .down = raw(layer.mlp.down),
          .qkv_bias = raw(layer.qkv_bias),
          .projection_bias = floats(layer.projection_bias),
          .up_bias = floats(layer.mlp.up_bias),
          .down_bias = floats(layer.mlp.down_bias)};
}

}  // namespace

bool answer_takes(const Transformer& network, const AnswerRows& rows) {
  if (!with_our_kernels() || !rows.tokens.is_cuda() || network.layers.empty()) return false;
  const c10::cuda::CUDAGuard guard(rows.tokens.device());
  return rows.tokens.size(1) <= network.embedding.positions.size(0) &&
         fits(network, rows.tokens.device()) && answer_takes(shape_of(network, rows));
}

std::int64_t answer_workspace(const Transformer& network, const AnswerRows& rows) {
  return static_cast<std::int64_t>(answer_workspace(shape_of(network, rows)));
}

void answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
            const AnswerRows& rows, const Answers& answers) {
  const c10::cuda::CUDAGuard guard(rows.tokens.device());
  const at::Tensor given = rows.tokens.contiguous(), frozen = rows.frozen.contiguous();
  const at::Tensor items = rows.items.contiguous();
  MGDM_CHECK(frozen.sizes() == given.sizes() && items.numel() == given.size(0));
  MGDM_CHECK(now.counts.is_cuda() && now.counts.is_contiguous() &&
             now.counts.size(0) == rule.steps && now.counts.size(1) == given.size(1) + 1);
  Answer arguments{};
  arguments.shape = shape_of(network, rows);
  MGDM_CHECK(answers.numbers.tokens.sizes() == given.sizes());

  std::ranges::transform(network.layers, arguments.layer, layer_of);
  arguments.loops = static_cast<int>(network.loops);
  arguments.loop_norm = network.loop_norm;
  arguments.tokens = floats(network.embedding.tokens);
  arguments.positions = floats(network.embedding.positions);
  arguments.frozen = floats(network.embedding.frozen);
  arguments.head = floats(network.head);
  arguments.final_norm = norm_of(network.final_norm);
  arguments.norm_eps = static_cast<float>(network.final_norm.eps);
  arguments.scale = static_cast<float>(network.attention.scale);
  arguments.head_norm_eps = static_cast<float>(network.attention.head_norm_eps);
  arguments.causal = network.attention.causal;
  arguments.gelu = network.activation == Transformer::Activation::kGelu;
  arguments.qkv_bias_is_bf16 = is_rounded(network.layers.front().qkv_bias);

  DecodingPass& pass = arguments.pass;
  pass.shift = network.shift;
  pass.tokens = answers.numbers.tokens.data_ptr<std::int64_t>();
  pass.frozen = frozen.const_data_ptr<bool>();
  pass.items = items.const_data_ptr<std::int64_t>();
  pass.passes = answers.numbers.passes.data_ptr<std::int64_t>();
  pass.counts = now.counts.const_data_ptr<int>();
  pass.purpose = static_cast<std::uint32_t>(Purpose::kDecode);
  pass.rule = rule;
  arguments.given = given.const_data_ptr<std::int64_t>();
  arguments.first_draw = now.first_draw;
  arguments.most_passes =
      static_cast<int>(now.most_passes > 0 ? std::min(now.most_passes, rule.steps) : rule.steps);
  arguments.logits = answers.logits.data_ptr<float>();
  arguments.workspace = answers.workspace.data_ptr();
  C10_CUDA_CHECK(launch_answer(arguments, c10::cuda::getCurrentCUDAStream()));
}

}  // namespace mgdm::ops::cuda

#endif
