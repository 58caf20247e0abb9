#include "runtime/weights.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "runtime/bf16.h"
#include "spec/weights.h"

namespace mgdm::runtime {
namespace {

using formats::Dtype;

// sign (1) exponent (5, bias 15) fraction (10)
float from_f16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

// The numbers as they stand in the file, which need not be aligned.
std::vector<float> numbers_in(const formats::TensorView& view) {
  const std::size_t each = formats::size_of(view.dtype), count = view.bytes.size() / each;
  std::vector<float> numbers(count);
  if (view.dtype == Dtype::kF32) {
    if (count > 0) std::memcpy(numbers.data(), view.bytes.data(), view.bytes.size());
    return numbers;
  }
  const auto convert = view.dtype == Dtype::kBF16 ? from_bf16 : from_f16;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, view.bytes.data() + i * each, each);
    numbers[i] = convert(bits);
  }
  return numbers;
}

std::vector<float> transposed(const std::vector<float>& from, std::size_t rows,
                              std::size_t columns) {
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  return to;
}

}  // namespace

Weights::Weights(const formats::Safetensors& file, const spec::ModelSettings& settings)
    : source_(file.source()) {
  const std::vector<const formats::TensorView*> views = spec::weights_in(file, settings);
  const std::vector<spec::TensorSpec> tensors = spec::tensors_of(settings);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    places_.emplace(tensors[i].name,
                    Place{tensors[i], views[i], spec::stored_transposed(settings, tensors[i])});
}

std::vector<float> Weights::at(const std::string& name) const {
  const Place& place = places_.at(name);
  std::vector<float> numbers = numbers_in(*place.view);
  for (const float number : numbers)
    if (!std::isfinite(number))
      throw Error(
          fmt::format("{}: tensor \"{}\" has the number {}", source_, place.view->name, number),
          "finite numbers", "load another checkpoint, or copy the file again");
  if (!place.transposed) return numbers;
  return transposed(numbers, static_cast<std::size_t>(place.view->shape[0]),
                    static_cast<std::size_t>(place.view->shape[1]));
}

}  // namespace mgdm::runtime
