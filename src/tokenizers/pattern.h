// The pattern of a step in tokenizer.json: {"String": " "} or {"Regex": "\\s+"}.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::tokenizers {

// The regular expressions of tokenizer.json, with Unicode's classes (\p{L}, \p{N}), by PCRE2. A
// program built without that library has none.

// A part of a text.
struct Range {
  std::size_t begin = 0, end = 0;
};

class Regex {
 public:
  // An Error when the pattern is no regular expression, or there is no PCRE2.
  explicit Regex(const std::string& pattern);

  // All matches in well-formed UTF-8, from the left and without overlap; empty ones are left out.
  std::vector<Range> matches(std::string_view text) const;

 private:
  std::shared_ptr<const void> code_;
  std::string pattern_;
};

class Pattern {
 public:
  static Pattern of_text(std::string text);
  static Pattern of_regex(const std::string& expression);

  // All matches from the left, without overlap.
  std::vector<Range> matches(std::string_view text) const;

  // `text` with `content` in place of every match.
  std::string replaced(std::string_view text, std::string_view content) const;

 private:
  std::string text_;
  std::optional<Regex> regex_;
};

}  // namespace mgdm::tokenizers
