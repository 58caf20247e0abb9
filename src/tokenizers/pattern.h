// The pattern of a step in tokenizer.json: {"String": " "} or {"Regex": "\\s+"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/regex.h"

namespace mgdm::tokenizers {

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
