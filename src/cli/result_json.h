// What every result file ends with: the settings it came from and the program that made it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/settings.h"

namespace mgdm::cli {

// The file's text: `result`, then "settings" (each with its own type; those that only name files to
// write or quieten the terminal are left out), "version" and "git_revision".
std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings);

}  // namespace mgdm::cli
