// What every result file ends with: the settings it came from and the program that made it.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace mgdm::evaluation {

// The file's text: `result`, then "settings" (each with its own type; those that only name files to
// write or quieten the terminal are left out), "version" and "git_revision".
std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings);

// Where the words for people go beside result files of these names: standard output, or standard
// error when one of the results is printed there.
std::FILE* for_people(std::initializer_list<std::string_view> results);

}  // namespace mgdm::evaluation
