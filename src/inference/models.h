// Where models are.
#pragma once

#include <map>
#include <string>

namespace mgdm::inference {

// A folder as it is; otherwise a name looked up in $MGDM_MODELS, in the installed models and in
// models/. An Error lists what there is.
std::string find_model(const std::string& name);

// All that can be looked up by name, with their folders.
std::map<std::string, std::string> shelved_models();

}  // namespace mgdm::inference
