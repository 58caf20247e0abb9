// The element types of the safetensors format.
//
//   size_of(Dtype::kBF16) == 2;  name_of(Dtype::kBF16) == "BF16";  dtype_named("BF16")
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

enum class Dtype {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kF64,
  kI64,
  kU64,
};

std::size_t size_of(Dtype dtype);  // bytes per element
std::string_view name_of(Dtype dtype);
std::optional<Dtype> dtype_named(std::string_view name);

// All names, for messages.
std::vector<std::string> dtype_names();

}  // namespace mgdm::formats
