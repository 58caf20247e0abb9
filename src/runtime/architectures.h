// From a model's files to a transformer: one function for each architecture.
#pragma once

#include <string>

#include "formats/safetensors.h"
#include "runtime/transformer.h"
#include "spec/model_settings.h"

namespace mgdm::runtime {

bool is_known(const std::string& architecture);
void check_known(const std::string& architecture);  // an Error that says who knows it

// UsageError when the settings do not fit together. An Error for an architecture that is not known
// here, and for what
// runtime/weights.h refuses in the file.
Transformer make_transformer(const spec::ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic);

}  // namespace mgdm::runtime
