#include "engine/predictor.h"

#include <ATen/core/grad_mode.h>

#include "compat/device.h"

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

}  // namespace mgdm::engine
