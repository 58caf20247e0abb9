// Gradients of bounded length.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "nn/parameters.h"

namespace mgdm::training {

// The norm of all gradients together, a () tensor on their device; when it is larger than
// `max_norm`, they are scaled down to it. 0 is no limit. Nothing waits for the device.
at::Tensor clip_gradients(const std::vector<nn::Parameter>& parameters, double max_norm);

}  // namespace mgdm::training
