// Members of JSON that anybody may have written: none where they are missing or of another kind.
#pragma once

#include <optional>
#include <string>

#include "reproduction/table.h"

namespace mgdm::reproduction {

inline std::string text_at(const Json& json, const std::string& name) {
  return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : "";
}

inline std::optional<double> number_at(const Json& json, const std::string& name) {
  if (!json.contains(name) || !json[name].is_number()) return std::nullopt;
  return json[name].get<double>();
}

// An object; empty where there is none.
inline Json object_at(const Json& json, const std::string& name) {
  return json.contains(name) && json[name].is_object() ? json[name] : Json::object();
}

}  // namespace mgdm::reproduction
