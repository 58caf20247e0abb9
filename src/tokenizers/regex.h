// The regular expressions of tokenizer.json, with Unicode's classes (\p{L}, \p{N}), by PCRE2. A
// program built without that library has none.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::tokenizers {

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

}  // namespace mgdm::tokenizers
