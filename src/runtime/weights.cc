#include "runtime/weights.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "formats/floats.h"
#include "model_files/weights.h"

namespace mgdm::runtime {
namespace {

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
  const std::vector<const formats::TensorView*> views = model_files::weights_in(file, settings);
  const std::vector<spec::TensorSpec> tensors = spec::tensors_of(settings);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    places_.emplace(tensors[i].name, Place{tensors[i], views[i],
                                           model_files::stored_transposed(settings, tensors[i])});
}

std::vector<float> Weights::at(const std::string& name) const {
  const Place& place = places_.at(name);
  std::vector<float> numbers = formats::to_floats(*place.view);
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
