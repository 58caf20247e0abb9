// The decoding flags of a command. One that is left out is the model's own, as its recipe said.
#pragma once

#include <string>
#include <vector>

#include "decoding/decoding_settings.h"
#include "inference/loaded_model.h"

namespace mgdm::cli {

struct DecodingFlags {
  decoding::DecodingSettings settings;
  std::vector<std::string> given;  // the keys of the flags that stood on the command line

  void visit(config::Visitor& v) { settings.visit(v, "decoding"); }

  // What the model does by itself, changed by the flags that were given. UsageError when one of
  // them would change nothing: a model that answers left to right has no steps.
  decoding::DecodingSettings over(const inference::LoadedModel& model) const;
};

// Their keys.
std::vector<std::string> decoding_keys();

// The fields of a command without the decoding flags that do not count with the model: what a
// result says of its settings.
std::vector<config::Field> counting(std::vector<config::Field> fields,
                                    const inference::LoadedModel& model,
                                    const decoding::DecodingSettings& settings);

}  // namespace mgdm::cli
