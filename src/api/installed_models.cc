#include "api/installed_models.h"

#include <dlfcn.h>

#include <filesystem>

namespace mgdm::api {

std::string installed_models() {
  static const char kHere = 0;
  Dl_info found{};
  if (::dladdr(&kHere, &found) == 0 || found.dli_fname == nullptr) return "";
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(found.dli_fname, failed);
  if (failed) return "";
  return (file.parent_path() / MGDM_MODELS_FROM_LIBRARY).lexically_normal().string();
}

}  // namespace mgdm::api
