#include "nn/tensor_bytes.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "compat/scalar_types.h"

namespace mgdm::nn {
namespace {

using formats::Dtype;

constexpr std::pair<Dtype, at::ScalarType> kTypes[] = {
    {Dtype::kBool, at::kBool},  {Dtype::kU8, at::kByte},       {Dtype::kI8, at::kChar},
    {Dtype::kI16, at::kShort},  {Dtype::kI32, at::kInt},       {Dtype::kI64, at::kLong},
    {Dtype::kF16, at::kHalf},   {Dtype::kBF16, at::kBFloat16}, {Dtype::kF32, at::kFloat},
    {Dtype::kF64, at::kDouble},
};

}  // namespace

Dtype dtype_of(at::ScalarType type) {
  for (const auto& [dtype, scalar_type] : kTypes)
    if (scalar_type == type) return dtype;
  for (const auto& [name, scalar_type] : compat::newer_scalar_types())
    if (scalar_type == type) return formats::dtype_named(name).value();
  throw Error(fmt::format("a tensor of type {}", c10::toString(type)),
              "one that safetensors has: " + joined_or(formats::dtype_names()));
}

at::ScalarType scalar_type_of(Dtype dtype) {
  for (const auto& [known, scalar_type] : kTypes)
    if (known == dtype) return scalar_type;
  for (const auto& [name, scalar_type] : compat::newer_scalar_types())
    if (name == formats::name_of(dtype)) return scalar_type;
  throw Error(
      fmt::format("LibTorch {} has no type {}", compat::torch_version(), formats::name_of(dtype)),
      "a file in another type", "convert the file, or build with LibTorch 2.3 or newer");
}

at::Tensor host_copy(const at::Tensor& value) {
  const at::Tensor source = value.detach();
  at::Tensor copy = at::empty(source.sizes(), source.options().device(at::kCPU));
  copy.copy_(source);
  return copy;
}

formats::TensorView view_of(std::string name, const at::Tensor& value) {
  MGDM_CHECK(value.device().is_cpu() && value.is_contiguous());
  return {std::move(name),
          dtype_of(value.scalar_type()),
          value.sizes().vec(),
          {static_cast<const std::byte*>(value.data_ptr()), value.nbytes()}};
}

at::Tensor to_tensor(const formats::TensorView& view) {
  at::Tensor value = at::empty(view.shape, at::TensorOptions(scalar_type_of(view.dtype)));
  MGDM_CHECK(value.nbytes() == view.bytes.size());
  if (!view.bytes.empty()) std::memcpy(value.data_ptr(), view.bytes.data(), view.bytes.size());
  return value;
}

void assign(const std::vector<NamedTensor>& targets, const std::vector<NamedTensor>& values,
            const std::string& source) {
  std::map<std::string_view, const at::Tensor*> by_name;
  for (const NamedTensor& tensor : values) by_name.emplace(tensor.name, &tensor.value);
  const auto kind = [](const at::Tensor& value) {
    return fmt::format("{} ({})", c10::toString(value.scalar_type()),
                       joined_by(value.sizes(), ", "));
  };
  for (const NamedTensor& target : targets) {
    const std::string place = fmt::format("{}: tensor {}", source, in_quotes(target.name, 200));
    const auto found = by_name.find(target.name);
    if (found == by_name.end()) throw Error(place + " is missing", kind(target.value));
    const bool widens = found->second->scalar_type() == at::kBFloat16 &&
                        target.value.scalar_type() == at::kFloat &&
                        found->second->sizes().equals(target.value.sizes());
    if (!widens && kind(*found->second) != kind(target.value))
      throw Error(fmt::format("{} is {}", place, kind(*found->second)), kind(target.value));
  }
  if (values.size() != targets.size())
    throw Error(fmt::format("{}: {} tensors", source, values.size()),
                fmt::format("{} tensors", targets.size()));
  const at::NoGradGuard no_grad;
  for (const NamedTensor& target : targets) {
    at::Tensor value = target.value;
    value.copy_(*by_name.at(target.name));
  }
}

void write_tensors(const std::filesystem::path& folder, std::string_view name,
                   const std::vector<NamedTensor>& tensors, const TensorFiles& files) {
  std::vector<at::Tensor> copies;
  std::vector<formats::TensorView> views;
  for (const NamedTensor& tensor : tensors) {
    const bool shorten =
        files.compact && tensor.value.scalar_type() == at::kFloat && tensor.value.numel() > 1;
    copies.push_back(host_copy(shorten ? tensor.value.to(at::kBFloat16) : tensor.value));
    views.push_back(view_of(tensor.name, copies.back()));
  }
  formats::write_safetensors_folder(folder, views, formats::kDefaultMetadata, files.max_shard_bytes,
                                    name);
}

std::vector<NamedTensor> read_tensors(const std::filesystem::path& folder, std::string_view name) {
  const formats::Safetensors file = formats::open_safetensors_folder(folder, name);
  std::vector<NamedTensor> tensors;
  for (const formats::TensorView& view : file.tensors())
    tensors.push_back({view.name, to_tensor(view)});
  return tensors;
}

}  // namespace mgdm::nn
