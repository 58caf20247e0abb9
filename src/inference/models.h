// Where models are.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace mgdm::inference {

// A folder as it is, also one in the working directory; otherwise a name looked up in $MGDM_MODELS,
// in `shelf` where one is given, in the models installed beside the program and in models/. For a
// name, places that may not be looked at are passed over. An Error says where it looked and what
// there is.
std::string find_model(const std::string& name, const std::filesystem::path& shelf = {});

// All that can be looked up by name, with their folders.
std::map<std::string, std::string> shelved_models(const std::filesystem::path& shelf = {});

}  // namespace mgdm::inference
