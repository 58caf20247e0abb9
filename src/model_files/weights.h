// The tensors of a model found in its files, whoever wrote them.
#pragma once

#include <vector>

#include "formats/safetensors.h"
#include "spec/tensors.h"

namespace mgdm::model_files {

// GPT-2's matrices stand in files as Conv1D wants them, (in, out); in memory they are (out, in).
bool stored_transposed(const spec::ModelSettings& settings, const spec::TensorSpec& tensor);

// The file's tensors in the order of tensors_of(settings), transposed as they are stored. Files of
// GPT-2 come with and without "transformer." before the names. An Error names the file, the tensor
// and both shapes when one is missing, of another shape or type, or not the model's.
std::vector<const formats::TensorView*> weights_in(const formats::Safetensors& file,
                                                   const spec::ModelSettings& settings);

}  // namespace mgdm::model_files
