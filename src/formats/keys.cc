#include "formats/keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {

Keys keys_of(std::string_view text) {
  if (text.empty()) return {kKnownKeys.begin(), kKnownKeys.end()};
  const std::vector<std::string_view> names = split(text, '=');
  if (names.size() != 2 || names[0].empty() || names[1].empty())
    throw UsageError(fmt::format("the keys {}", in_quotes(text)), "two names, as in nums=target");
  return {{std::string(names[0]), std::string(names[1])}};
}

std::vector<std::string> puzzle_names(const Keys& keys) {
  std::vector<std::string> names;
  for (const auto& [puzzle, answer] : keys)
    if (!contains(names, puzzle)) names.push_back(puzzle);
  return names;
}

bool same_name(std::string_view in_file, std::string_view name) {
  if (in_file.size() < name.size()) return false;
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a + 32 == b); };
  if (!std::equal(name.begin(), name.end(), in_file.begin(),
                  [&](char wanted, char c) { return same(c, wanted); }))
    return false;
  const std::string_view ending = in_file.substr(name.size());
  return ending.empty() || lowered(ending) == "s" || lowered(ending) == "zes";
}

}  // namespace mgdm::formats
