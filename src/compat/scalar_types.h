// Number types that only newer versions of LibTorch have.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mgdm::compat {

// The types with their names in safetensors: F8_E5M2, U16, ... Empty before LibTorch 2.3.
std::vector<std::pair<std::string_view, at::ScalarType>> newer_scalar_types();

// "2.11.0"
std::string torch_version();

}  // namespace mgdm::compat
