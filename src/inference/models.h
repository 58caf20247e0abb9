// Where models are.
#pragma once

#include <string>

namespace mgdm::inference {

// A folder as it is; otherwise a name looked up in $MGDM_MODELS, in the installed models and in
// models/. An Error lists what there is.
std::string find_model(const std::string& name);

}  // namespace mgdm::inference
