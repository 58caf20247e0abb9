#include "data/keys.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::data {

Keys keys_of(std::string_view text) {
  if (text.empty()) return {kKnownKeys.begin(), kKnownKeys.end()};
  const std::vector<std::string_view> names = split(text, '=');
  if (names.size() != 2 || names[0].empty() || names[1].empty())
    throw UsageError(fmt::format("the keys {}", in_quotes(text)), "two names, as in nums=target");
  return {{std::string(names[0]), std::string(names[1])}};
}

}  // namespace mgdm::data
