// LibTorch's model as a function, for decoders that stay on its device.
#pragma once

#include <functional>

#include "nn/model.h"

namespace mgdm::engine {

// tokens (B, N) int64 with [MASK] at hidden positions, frozen (B, N) bool -> a prediction for every
// position.
using Predictor = std::function<nn::Prediction(const at::Tensor& tokens, const at::Tensor& frozen)>;

// The prediction of the last loop of a model, which must outlive the function. `bf16` computes
// matmuls in bf16 on CUDA; `loops` and `wanted` are as in nn::Input, and `wanted` is read at every
// call.
Predictor predictor_of(nn::Model& model, bool bf16 = false, std::int64_t loops = 0,
                       const at::Tensor& wanted = {});

}  // namespace mgdm::engine
