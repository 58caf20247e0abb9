// The models that were installed with libmgdm.so.
#pragma once

#include <string>

namespace mgdm::api {

// Their folder, found from where the file that holds this code lies; empty when nobody knows.
std::string installed_models();

}  // namespace mgdm::api
