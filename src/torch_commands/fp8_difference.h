// What products in fp8 change about a step.
#pragma once

#include <c10/core/Device.h>

#include "data/prepare_data.h"
#include "distributed/process_group.h"
#include "spec/recipe.h"

namespace mgdm::torch_commands {

// A first step of the recipe on a few rows, with training.fp8 and without: the loss or the norm of
// the gradient, whichever differs more, relative to what it is without. The same weights, noise and
// dropout are drawn for both.
double fp8_difference(const spec::Recipe& recipe, const data::PreparedData& data,
                      distributed::ProcessGroup& group, c10::Device device);

// A number is off by at most 2^-4 (e4m3) or 2^-3 (e5m2) of itself, and by 2^-5 or 2^-4 on the
// average; sums over many numbers by less. So losses and norms may differ by 2^-4.
constexpr double kMostFp8Difference = 0x1p-4;

}  // namespace mgdm::torch_commands
