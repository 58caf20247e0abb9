// Small random models, in memory and in folders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/safetensors_folder.h"
#include "model_files/weights.h"
#include "runtime/scalar_transformer.h"
#include "spec/tensors.h"
#include "vectors/test_support.h"

namespace mgdm::runtime {

using vectors::random_numbers;

inline std::size_t count_of(const spec::TensorSpec& tensor) {
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::size_t>(size);
  return count;
}

// Weights that make every part of the network count; no tensor is zero or one.
inline Numbers random_weights(const spec::ModelSettings& settings) {
  Numbers weights;
  std::uint32_t item = 0;
  for (const spec::TensorSpec& tensor : spec::tensors_of(settings)) {
    const auto in = static_cast<float>(tensor.shape.back());
    const bool matrix = tensor.role == spec::Role::kMatrix;
    weights[tensor.name] =
        random_numbers(count_of(tensor), ++item, matrix ? 1 / std::sqrt(in) : 0.5f);
  }
  return weights;
}

// As the model's files have them.
inline void write_weights(const std::filesystem::path& folder, const spec::ModelSettings& settings,
                          Numbers weights) {
  std::vector<formats::TensorView> views;
  for (const spec::TensorSpec& tensor : spec::tensors_of(settings)) {
    std::vector<std::int64_t> shape = tensor.shape;
    std::vector<float>& numbers = weights.at(tensor.name);
    if (model_files::stored_transposed(settings, tensor)) {
      const std::vector<float> from = numbers;
      const auto out = static_cast<std::size_t>(shape[0]), in = static_cast<std::size_t>(shape[1]);
      for (std::size_t i = 0; i < out; ++i)
        for (std::size_t k = 0; k < in; ++k) numbers[k * out + i] = from[i * in + k];
      std::ranges::reverse(shape);
    }
    views.push_back({tensor.name, formats::Dtype::kF32, shape, std::as_bytes(std::span(numbers))});
  }
  formats::write_safetensors_folder(folder, views);
}

}  // namespace mgdm::runtime
