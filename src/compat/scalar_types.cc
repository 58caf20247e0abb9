#include "compat/scalar_types.h"

#include <torch/version.h>

namespace mgdm::compat {

std::vector<std::pair<std::string_view, at::ScalarType>> newer_scalar_types() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  using at::ScalarType;
  return {{"F8_E5M2", ScalarType::Float8_e5m2},
          {"F8_E4M3", ScalarType::Float8_e4m3fn},
          {"U16", ScalarType::UInt16},
          {"U32", ScalarType::UInt32},
          {"U64", ScalarType::UInt64}};
#else
  return {};
#endif
}

std::string torch_version() { return TORCH_VERSION; }

}  // namespace mgdm::compat
