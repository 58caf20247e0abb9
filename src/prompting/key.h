// The key of an endpoint: where it comes from, and how what is shown is kept free of it.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::prompting {

// The key in the environment variable of that name. An Error, which never shows it, when there is
// none or it cannot be a key.
std::string key_from(const std::string& variable);

// `text` with *** for the key, also where it is written as in JSON: a backslash before any of its
// characters, or \u002f for it. Whole texts only: of a part that was cut off nobody knows the key.
std::string without_key(std::string_view text, std::string_view key);

}  // namespace mgdm::prompting
