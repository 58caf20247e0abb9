#include "nn/parameters.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/random.h"
#include "compat/parallel.h"

namespace mgdm::nn {
namespace {

// Normal numbers two by two from uniform ones (Box and Muller). Chunks have streams of their own
// (step = chunk), so that threads can share the work.
void fill_normal(float* out, std::int64_t count, double std, std::uint64_t seed,
                 std::uint32_t item) {
  constexpr std::int64_t kChunk = 1 << 16;
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  compat::parallel_for(0, chunks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t chunk = first; chunk < last; ++chunk) {
      Stream random(seed, Purpose::kInit, item, static_cast<std::uint32_t>(chunk));
      const std::int64_t end = std::min(count, (chunk + 1) * kChunk);
      for (std::int64_t i = chunk * kChunk; i < end; i += 2) {
        const double radius =
            std * std::sqrt(-2 * std::log(1.0 - static_cast<double>(random.uniform())));
        const double angle = 2 * std::numbers::pi * static_cast<double>(random.uniform());
        out[i] = static_cast<float>(radius * std::cos(angle));
        if (i + 1 < end) out[i + 1] = static_cast<float>(radius * std::sin(angle));
      }
    }
  });
}

}  // namespace

Parameters::Parameters(const std::vector<spec::TensorSpec>& tensors,
                       std::optional<std::uint64_t> seed, Drawn drawn)
    : seed_(seed) {
  for (const spec::TensorSpec& tensor : tensors) add(tensor, drawn);
}

const at::Tensor& Parameters::at(std::string_view name) const {
  const auto found = std::ranges::find(list_, name, &Parameter::name);
  MGDM_CHECK(found != list_.end());
  return found->value;
}

at::Tensor Parameters::add(std::string name, at::IntArrayRef shape, Init init, Role role) {
  return add({std::move(name), shape.vec(), init, role});
}

at::Tensor Parameters::add(const spec::TensorSpec& tensor, Drawn drawn) {
  const bool draw = tensor.init.std > 0 && seed_ && (drawn == Drawn::kAll || !tensor.frozen);
  at::Tensor value;
  if (tensor.half && !draw) {  // large: never in memory as fp32
    value = at::full(tensor.shape, tensor.init.constant, at::kBFloat16);
  } else {
    value = at::full(tensor.shape, tensor.init.constant, at::kFloat);
    if (draw)
      fill_normal(value.data_ptr<float>(), value.numel(), tensor.init.std, *seed_,
                  static_cast<std::uint32_t>(list_.size()));
    if (tensor.half) value = value.to(at::kBFloat16);
  }
  value.set_requires_grad(!tensor.frozen);
  list_.push_back({tensor.name, value, tensor.role, tensor.frozen});
  return value;
}

std::vector<Parameter> Parameters::trained() const {
  std::vector<Parameter> some;
  for (const Parameter& parameter : list_)
    if (!parameter.frozen) some.push_back(parameter);
  return some;
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : list_) count += parameter.value.numel();
  return count;
}

void Parameters::to(c10::Device device) {
  const at::NoGradGuard no_grad;
  for (Parameter& parameter : list_) parameter.value.set_data(parameter.value.to(device));
}

void Parameters::keep_matrices_in_bf16() {
  const at::NoGradGuard no_grad;
  for (Parameter& parameter : list_)
    if (parameter.role == Role::kMatrix)
      parameter.value.set_data(parameter.value.to(at::kBFloat16));
}

}  // namespace mgdm::nn
