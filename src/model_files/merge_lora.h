// LoRA's two matrices made part of the one that they stand beside.
#pragma once

#include <cstddef>
#include <span>

namespace mgdm::model_files {

// W (out, in) += scale B A, for A (rank, in) and B (out, rank). A model of 7 billion numbers has
// 100 billion such products: this file is optimised, though its room is not.
void merge_lora(std::span<float> w, std::span<const float> a, std::span<const float> b,
                std::size_t rank, float scale);

}  // namespace mgdm::model_files
