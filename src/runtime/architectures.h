// From a model's files to a transformer: one function for each architecture.
#pragma once

#include "formats/safetensors.h"
#include "runtime/transformer.h"
#include "spec/model_settings.h"

namespace mgdm::runtime {

bool is_known(const spec::ModelSettings& settings);
void check_known(const spec::ModelSettings& settings);  // an Error that says who knows it

// UsageError when the settings do not fit together. An Error for a network that is not known here,
// and for what runtime/weights.h refuses in the file.
Transformer make_transformer(const spec::ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic);

}  // namespace mgdm::runtime
