// Tries of the same length as tensors on a device.
#pragma once

#include <span>

#include "decoding/slot.h"
#include "nn/batch_tensors.h"

namespace mgdm::engine {

struct PuzzleTensors : nn::TensorRows {  // tokens have [MASK] wherever not frozen
  at::Tensor first_draw;                 // (B) int64: decoding::draw_step of each try's first pass
};

PuzzleTensors tensors_of(std::span<const decoding::Try> tries, c10::Device device);

}  // namespace mgdm::engine
