// Results kept on disk, and how members of such files are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "evaluation/evaluate.h"
#include "reproduction/table.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// A cache of results in OUT/cells. The key of a result is everything that determines it, so a
// repeated plan, or another plan with the same cell, reuses it.

// The identity of a model: a retrained model differs from its predecessor in the same folder.
std::string identity(const Trained& trained);

// The file of the result with that key, which may not exist yet.
std::filesystem::path kept_file(const Context& context, const std::string& key);

// None if the file is missing or damaged: the result is then measured again.
std::optional<Json> read_kept(const std::filesystem::path& file);

void keep(const std::filesystem::path& file, const Json& result);

// A partial evaluation (its budget was used up) as JSON, so that the next call can continue it.
Json partial_json(const evaluation::Evaluation& cut);

// Empty if the JSON is damaged: everything is then measured again.
evaluation::PartialEvaluation read_partial(const Json& json);

// Members of untrusted JSON: empty or none if they are missing or of another type.
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
