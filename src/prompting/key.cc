#include "prompting/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::prompting {
namespace {

constexpr std::string_view kHidden = "***";

// Whether people name variables so. Anything else may be the key itself, by mistake.
bool is_usual_name(std::string_view variable) {
  return std::ranges::all_of(variable, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// How many characters of `text` are this one of a key, as it is or as JSON may write it; 0: it is
// another.
std::size_t length_as(std::string_view text, char c) {
  if (!text.starts_with('\\')) return text.starts_with(c) ? 1 : 0;
  if (lowered(text.substr(1, 5)) == fmt::format("u{:04x}", static_cast<unsigned char>(c))) return 6;
  if (text.substr(1).starts_with(c)) return 2;
  return c == '\\' ? 1 : 0;
}

// The number of characters at the start of `text` that are this whole key; 0: they are not.
std::size_t length_as(std::string_view text, std::string_view key) {
  std::size_t used = 0;
  for (const char c : key) {
    const std::size_t length = length_as(text.substr(used), c);
    if (length == 0) return 0;
    used += length;
  }
  return used;
}

}  // namespace

std::string key_from(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());
  const std::string key(value == nullptr ? "" : trim(value));
  if (key.empty() && !is_usual_name(variable))
    throw Error("the environment variable that --key-variable names is not set",
                "the name of a variable, OPENAI_API_KEY say, not the key itself");
  if (key.empty())
    throw Error(fmt::format("there is no key in the environment variable {}", variable),
                fmt::format("{}=... before the command", variable),
                "--no-key for an endpoint that wants none");
  for (const char c : key)
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f)
      throw Error(
          fmt::format("the environment variable {} holds no key: it has white "
                      "space or other characters that cannot be sent",
                      printable(variable)));
  return key;
}

std::string without_key(std::string_view text, std::string_view key) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_as(text, key);
    if (length > 0)
      shown += kHidden;
    else
      shown += text.front();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace mgdm::prompting
