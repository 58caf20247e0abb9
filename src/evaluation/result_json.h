// The end of every result file: the settings and the program's version.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace mgdm::evaluation {

// The text of the file: `result`, then "settings" (typed, without those that name files to write or
// silence the terminal), "version" and "git_revision".
std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings);

// The stream of messages for people: standard output, or standard error if one of these results is
// printed to standard output.
std::FILE* for_people(std::initializer_list<std::string_view> results);

}  // namespace mgdm::evaluation
