#include "evaluation/result_json.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/version.h"
#include "formats/json_text.h"

namespace mgdm::evaluation {
namespace {

bool is_about_output(std::string_view key) {
  constexpr std::array<std::string_view, 8> kOutput{"json",   "md",          "csv",     "losses",
                                                    "figure", "predictions", "explain", "quiet"};
  return std::find(kOutput.begin(), kOutput.end(), key) != kOutput.end();
}

}  // namespace

std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings) {
  auto& used = result["settings"] = nlohmann::ordered_json::object();
  for (const config::Field& field : settings)
    if (!is_about_output(field.key))
      std::visit([&](const auto* value) { used[field.key] = *value; }, field.target);
  result["version"] = version();
  result["git_revision"] = git_revision();
  return formats::json_text(result, 2) + "\n";
}

std::FILE* for_people(std::initializer_list<std::string_view> results) {
  return std::any_of(results.begin(), results.end(), is_standard_output) ? stderr : stdout;
}

}  // namespace mgdm::evaluation
