#include "config/ascii_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::config {
namespace {

enum class Place { kOutside, kComment, kQuoted, kQuotedLines, kLiteral, kLiteralLines };

// Reads one code point of well-formed UTF-8 and moves past it.
std::uint32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  text.remove_prefix(length);
  return code;
}

// Where we stand after a run of quotes; one or two quotes inside """ text are text.
Place after_quotes(Place place, char quote, std::size_t run) {
  const Place one = quote == '"' ? Place::kQuoted : Place::kLiteral;
  const Place lines = quote == '"' ? Place::kQuotedLines : Place::kLiteralLines;
  if (place == Place::kOutside)
    return run >= 3 ? (run >= 6 ? place : lines) : run == 1 ? one : place;
  if (place == one) return Place::kOutside;
  if (place == lines && run >= 3) return Place::kOutside;
  return place;
}

}  // namespace

std::string ascii_toml(std::string_view text, std::string_view name) {
  const auto line_at = [&, all = text](std::size_t offset) {
    return at(name, 1 + static_cast<std::size_t>(std::count(
                            all.begin(), all.begin() + static_cast<std::ptrdiff_t>(offset), '\n')));
  };
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
    throw UsageError(line_at(bad) + "a byte that is not UTF-8", "TOML in UTF-8");

  const std::size_t size = text.size();
  std::string out;
  Place place = Place::kOutside;
  while (!text.empty()) {
    const char c = text.front();
    const bool quoted = place == Place::kQuoted || place == Place::kQuotedLines;
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::size_t offset = size - text.size();
      const std::uint32_t code = take_code_point(text);
      if (quoted)
        out += fmt::format("\\U{:08x}", code);
      else if (place == Place::kComment)
        out += '?';
      else
        throw UsageError(fmt::format("{}U+{:04X} outside of double quotes", line_at(offset), code),
                         "letters beyond ASCII only in comments and \"double quotes\"");
      continue;
    }
    std::size_t length = 1;
    if (quoted && c == '\\' && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0x80) {
      length = 2;
    } else if ((c == '"' || c == '\'') && place != Place::kComment) {
      length = std::min(text.find_first_not_of(c), text.size());
      // The quote that ends "text" may be followed by one that begins another.
      if (place == Place::kQuoted || place == Place::kLiteral) length = 1;
      place = after_quotes(place, c, length);
    } else if (c == '#' && place == Place::kOutside) {
      place = Place::kComment;
    } else if (c == '\n' && place != Place::kQuotedLines && place != Place::kLiteralLines) {
      place = Place::kOutside;
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace mgdm::config
