// The networks that transformers does not have, as Python code for it (modeling_mgdm.py).
#pragma once

#include <string_view>

#include "spec/model_settings.h"

namespace mgdm::model_files {

inline constexpr const char* kModelingFile = "modeling_mgdm.py";

// The text of modeling_mgdm.py. CMake makes its definition from the file.
std::string_view modeling_text();

// UsageError for an architecture that transformers reads without such a file.
void check_needs_modeling_file(const spec::ModelSettings& settings);

}  // namespace mgdm::model_files
