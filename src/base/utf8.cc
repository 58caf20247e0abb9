#include "base/utf8.h"

#include <algorithm>

#include "base/text.h"

namespace mgdm {

// The ranges of the second byte are table 3-7 of the Unicode Standard.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t bad = find_invalid_utf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
}

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (count_code_points(text) <= limit) return std::string(text);
  std::size_t end = 0;
  for (std::size_t kept = 1; kept < limit; ++kept)
    end += std::max<std::size_t>(1, utf8_length(text.substr(end)));
  return std::string(text.substr(0, end)) + "\u2026";
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out, row;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t gap = line.substr(0, columns / 5 * 3).rfind("  ");
    const std::size_t indent = gap == std::string_view::npos ? 0 : gap + 2;
    bool first = true;
    for (const std::string_view word : split(line, ' ')) {
      const bool fits = count_code_points(row) + count_code_points(word) < columns;
      if (fits || trim(row).empty()) {
        row += (first ? "" : " ") + std::string(word);
      } else {
        out += row + '\n';
        row = std::string(indent, ' ') + std::string(word);
      }
      first = false;
    }
    out += row + '\n';
    row.clear();
  }
  out.pop_back();
  return out;
}

}  // namespace mgdm
