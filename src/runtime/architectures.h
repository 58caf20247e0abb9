// Reads a model's files into a transformer: one function per architecture.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "runtime/transformer.h"
#include "spec/model_settings.h"
#include "spec/tensors.h"

namespace mgdm::runtime {

bool is_known(const spec::ModelSettings& settings);
void check_known(const spec::ModelSettings& settings);  // Error that says which program runs it

// UsageError when the settings do not fit together. Error for an architecture that this room does
// not run, and for a file that Weights refuses.
Transformer make_transformer(const spec::ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic);

// The weights of a model's files as plain numbers.

class Weights {
 public:
  // `file` must outlive this. An Error names a tensor that is missing or of another shape.
  Weights(const formats::Safetensors& file, const spec::ModelSettings& settings);

  // The numbers of a tensor of spec::tensors_of, matrices as (out, in). Error for a tensor with a
  // NaN or an infinity: the file is damaged, or the training diverged.
  std::vector<float> at(const std::string& name) const;

 private:
  struct Place {
    spec::TensorSpec tensor;
    const formats::TensorView* view;
    bool transposed;  // in the file
  };

  std::string source_;
  std::map<std::string, Place> places_;
};

}  // namespace mgdm::runtime
