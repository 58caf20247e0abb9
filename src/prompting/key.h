// The API key of an endpoint: where it comes from, and how it is hidden in output.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::prompting {

// Reads the key from an environment variable. An Error, which never shows the key, when it is
// missing or malformed.
std::string key_from(const std::string& variable);

// Replaces the key in `text` by ***, also where JSON escapes it (backslashes, \u002f for a slash).
// Call it on whole texts only: a truncated key is not found.
std::string without_key(std::string_view text, std::string_view key);

}  // namespace mgdm::prompting
