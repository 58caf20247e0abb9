#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

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

namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string joined(std::span<const std::string> names, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? last : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string without_space_around(std::string_view separators, std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    out += trim(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return "'" + printable(text) + "'";
  constexpr std::size_t kLongest = 4;  // bytes of a character
  std::size_t end = limit;
  while (end > 0 && limit - end < kLongest && (text[end] & 0xC0) == 0x80) --end;  // within one
  return "'" + printable(text.substr(0, limit - end < kLongest ? end : limit)) + "...'";
}

std::string printable(std::string_view text, std::string_view keep) {
  // U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows.
  constexpr std::string_view kTurns[] = {"\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
                                         "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const bool ascii = byte(0) < 0x80;
    // U+0080 to U+009F are control characters too: the second byte says it.
    const bool control =
        ascii ? byte(0) < 0x20 || byte(0) == 0x7f
              : length == 1 || (byte(0) == 0xC2 && byte(1) < 0xA0) ||
                    std::ranges::find(kTurns, text.substr(0, length)) != std::end(kTurns);
    if (!control || keep.find(text.front()) != std::string_view::npos)
      out += text.substr(0, length);
    else
      for (std::size_t i = 0; i < length; ++i) out += fmt::format("\\x{:02x}", byte(i));
    text.remove_prefix(length);
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::vector<std::string> csv_cells(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && line.substr(i + 1, 1) == "\"")
      cells.back() += line[++i];  // one of two
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == separator && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  for (std::string& cell : cells) cell = trim(cell);
  return cells;
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined_or(std::span<const std::string> names) { return joined(names, " or "); }

std::string joined_and(std::span<const std::string> names) { return joined(names, " and "); }

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> valid) {
  name = name.substr(0, 100);
  const auto last_part = [](std::string_view key) { return key.substr(key.rfind('.') + 1); };
  const auto same = [&](const std::string& other) { return last_part(other) == last_part(name); };
  if (std::ranges::count_if(valid, same) == 1) return *std::ranges::find_if(valid, same);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : valid) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> valid) {
  const std::string best = nearest(name, valid);
  return best.empty() ? "" : fmt::format("did you mean '{}'?", best);
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
