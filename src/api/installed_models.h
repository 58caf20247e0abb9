// Finds the models that were installed with libmgdm.so.
#pragma once

#include <string>

namespace mgdm::api {

// The folder of the models, relative to the library file of this code; empty if unknown.
std::string installed_models();

}  // namespace mgdm::api
