// Members of untrusted JSON: none if they are missing or of another type.
#pragma once

#include <cstddef>
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

// A count; none if it is not one.
inline std::optional<std::size_t> count_at(const Json& json, const std::string& name) {
  const auto number = number_at(json, name);
  if (!number || !(*number >= 0 && *number < 0x1p53)) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

// An object; empty where there is none.
inline Json object_at(const Json& json, const std::string& name) {
  return json.contains(name) && json[name].is_object() ? json[name] : Json::object();
}

}  // namespace mgdm::reproduction
