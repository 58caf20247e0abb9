// TOML in ASCII: the same document with every other character written as an escape.
//
// toml++ 3.3 has undefined behaviour when it checks whether a character such as U+00E9 or U+FEF9 is
// white space (is_non_ascii_horizontal_whitespace), so it gets ASCII only.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::config {

// Text in double quotes keeps its meaning ("é" becomes "\U000000e9"); comments lose theirs. Such a
// character anywhere else, or bytes that are not UTF-8, are a UsageError with name:line.
std::string ascii_toml(std::string_view text, std::string_view name);

}  // namespace mgdm::config
