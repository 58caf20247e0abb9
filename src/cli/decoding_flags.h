// The decoding flags of a command. One that is left out is the model's own, as its recipe said.
#pragma once

#include <string>
#include <vector>

#include "spec/decoding_settings.h"

namespace mgdm::cli {

struct DecodingFlags {
  spec::DecodingSettings settings;
  std::vector<std::string> given;  // the keys of the flags that stood on the command line

  void visit(config::Visitor& v) { settings.visit(v, "decoding"); }

  // What the model does by itself, changed by the flags that were given.
  spec::DecodingSettings over(const spec::DecodingSettings& of_model) const;
};

// Their keys.
std::vector<std::string> decoding_keys();

}  // namespace mgdm::cli
