// Reads a model's files into a transformer: one function per architecture.
#pragma once

#include "formats/safetensors.h"
#include "runtime/transformer.h"
#include "spec/model_settings.h"

namespace mgdm::runtime {

bool is_known(const spec::ModelSettings& settings);
void check_known(const spec::ModelSettings& settings);  // Error that says which program runs it

// UsageError when the settings do not fit together. Error for an architecture that this room does
// not run, and for a file that runtime/weights.h refuses.
Transformer make_transformer(const spec::ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic);

}  // namespace mgdm::runtime
