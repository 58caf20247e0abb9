// Checks UTF-8, measures its width and fits it to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace mgdm
