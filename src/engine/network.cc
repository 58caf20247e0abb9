#include "engine/network.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>

#include <limits>

#include "compat/device.h"
#include "data/vocabulary.h"

namespace mgdm::engine {

Predictor predictor_of(nn::Model& model, bool bf16, std::int64_t loops, const at::Tensor& wanted) {
  return [&model, bf16, loops, wanted](const at::Tensor& tokens, const at::Tensor& frozen) {
    const at::NoGradGuard no_grad;
    const compat::Autocast autocast(model.device(), bf16);
    nn::Input input{tokens, frozen, /*training=*/false, loops};
    input.wanted = wanted;
    return model.forward(input).last();
  };
}

Network network_of(nn::Model& model, bool bf16, std::int64_t loops) {
  return [predict = predictor_of(model, bf16, loops)](const at::Tensor& tokens,
                                                      const at::Tensor& frozen) {
    const at::NoGradGuard no_grad;
    return predict(tokens, frozen).logits();
  };
}

at::Tensor answer_log_probs(const at::Tensor& logits, const data::Specials& specials) {
  at::Tensor allowed = logits.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  for (const data::Token token : {specials.sep, specials.mask, specials.unk})
    allowed.select(-1, token).fill_(-std::numeric_limits<float>::infinity());
  return at::log_softmax(allowed, -1);
}

}  // namespace mgdm::engine
