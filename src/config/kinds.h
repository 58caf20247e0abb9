// Tables of kinds: a row has at least a name and a description ("about"), for choices, help and
// errors.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::config {

using Keys = std::vector<std::string_view>;  // settings as a recipe names them: "objective.beta"

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

// "topk: reveal the most confident tokens first; random: ...", for help.
template <class Kinds>
std::string help_of(const Kinds& kinds) {
  std::string text;
  for (const auto& kind : kinds)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind.name, kind.about);
  return text;
}

// The row of a name; UsageError for an unknown one. `what` is the word for such a row: "order".
template <class Kinds>
const auto& kind_named(const Kinds& kinds, std::string_view name, std::string_view what) {
  for (const auto& kind : kinds)
    if (kind.name == name) return kind;
  const std::vector<std::string> names = names_of(kinds);
  throw UsageError(fmt::format("unknown {} {}", what, in_quotes(name)), joined_or(names),
                   did_you_mean(name, names));
}

}  // namespace mgdm::config
