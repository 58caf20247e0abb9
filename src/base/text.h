// Small helpers on text that the standard library lacks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mgdm {

// The length of the well-formed sequence at the start of `text`, which is not empty; 0 if none is
// there.
std::size_t utf8_length(std::string_view text);

// The offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms,
// no surrogates, nothing above U+10FFFF); std::string_view::npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

// `text` with U+FFFD in place of every byte that is not part of well-formed UTF-8.
std::string to_valid_utf8(std::string_view text);

// `text` without the byte order mark that some editors put at the start of a file.
std::string_view without_bom(std::string_view text);

// Code points, a good measure of display columns for Latin, Greek and mathematical text.
std::size_t count_code_points(std::string_view text);

// `text`, or its beginning and an ellipsis when it has more code points than `limit`.
std::string shortened(std::string_view text, std::size_t limit);

// `text` with every line that is longer than `columns` broken at spaces. Its rest stands below the
// second column of the line, which two spaces precede.
std::string wrapped(std::string_view text, std::size_t columns);

// split("a,,b", ',') = {"a", "", "b"}; split("", ',') = {""}.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without white space (also '\r') at both ends.
std::string_view trim(std::string_view text);

// Without white space at both ends and on either side of a separator: "4, 5 ,6" is "4,5,6".
std::string without_space_around(std::string_view separators, std::string_view text);

// With a-z for A-Z.
std::string lowered(std::string_view text);

// A whole decimal number and nothing else ("-7", "42"); none on overflow, empty text or rest.
std::optional<std::int64_t> parse_int(std::string_view text);

// At most `limit` bytes of `text` for an error message, printable() and in quotes; a longer text
// ends in "...".
std::string in_quotes(std::string_view text, std::size_t limit = 60);

// `text` so that a terminal shows it and obeys nothing in it: control characters (except those in
// `keep`), marks that turn the direction of text, and bytes that are not UTF-8 become \x1b. For
// everything that comes from users, files, models and other programs; other UTF-8 stays as it is.
std::string printable(std::string_view text, std::string_view keep = "");

// A cell of a CSV file: as it is, or in double quotes where it has to be.
std::string csv_cell(std::string_view text);
// The cells of a line of a CSV file, without quotes and the spaces around them.
std::vector<std::string> csv_cells(std::string_view line, char separator = ',');

// Whether `name` is one of them.
bool contains(std::span<const std::string> names, std::string_view name);

// "a, b or c", "a, b and c".
std::string joined_or(std::span<const std::string> names);
std::string joined_and(std::span<const std::string> names);

// Whole numbers or names with `separator` between them. (fmt::join is for more, and takes a second
// to compile.)
template <class Range>
std::string joined_by(const Range& range, std::string_view separator) {
  std::string text;
  for (bool first = true; const auto& each : range) {
    if (!first) text += separator;
    first = false;
    if constexpr (std::integral<std::remove_cvref_t<decltype(each)>>)
      text += std::to_string(each);
    else
      text.append(each);
  }
  return text;
}

// The only valid key with the last part of `name` (optimizer.lr for training.lr), else the name
// that is closest by edit distance; empty when none is near.
std::string nearest(std::string_view name, std::span<const std::string> valid);

// "did you mean 'sudoku'?", or empty when nothing is near: the `hint` of an Error.
std::string did_you_mean(std::string_view name, std::span<const std::string> valid);

}  // namespace mgdm
