// Tensors to files of tensors and back.
//
//   write_tensors("runs/7", "state", {{"momentum", momentum}});   // runs/7/state.safetensors
//   for (const NamedTensor& t : read_tensors("runs/7", "state")) ...
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors_folder.h"

namespace mgdm::nn {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

// The LibTorch type of a format's type; Error if this LibTorch lacks it.
formats::Dtype dtype_of(at::ScalarType type);
at::ScalarType scalar_type_of(formats::Dtype dtype);

// A copy on the CPU, contiguous, without gradient. Nothing done to `value` later shows in it.
at::Tensor host_copy(const at::Tensor& value);

// The bytes of a contiguous CPU tensor, which must outlive the view.
formats::TensorView view_of(std::string name, const at::Tensor& value);

// A CPU tensor of its own with the values of the view.
at::Tensor to_tensor(const formats::TensorView& view);

// Copies `values` into the `targets` of the same names, in any order. If names, shapes or types
// differ (bf16 values may go into fp32 targets), the Error names `source` and nothing is copied.
void assign(const std::vector<NamedTensor>& targets, const std::vector<NamedTensor>& values,
            const std::string& source);

struct TensorFiles {
  std::uint64_t max_shard_bytes = formats::kDefaultShardBytes;
  bool compact = false;  // fp32 tensors of more than one number as bf16, half the size
};

// NAME.safetensors in a folder, or shards of it; bit for bit unless `compact`.
void write_tensors(const std::filesystem::path& folder, std::string_view name,
                   const std::vector<NamedTensor>& tensors, const TensorFiles& files = {});
std::vector<NamedTensor> read_tensors(const std::filesystem::path& folder, std::string_view name);

}  // namespace mgdm::nn
