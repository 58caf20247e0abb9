#include "tokenizers/pattern.h"

#include <utility>

#include "base/error.h"

namespace mgdm::tokenizers {

Pattern Pattern::of_text(std::string text) {
  if (text.empty()) throw Error("an empty pattern", "text to look for");
  Pattern pattern;
  pattern.text_ = std::move(text);
  return pattern;
}

Pattern Pattern::of_regex(const std::string& expression) {
  Pattern pattern;
  pattern.regex_.emplace(expression);
  return pattern;
}

std::vector<Range> Pattern::matches(std::string_view text) const {
  if (regex_) return regex_->matches(text);
  std::vector<Range> all;
  for (std::size_t at = text.find(text_); at != std::string_view::npos;
       at = text.find(text_, at + text_.size()))
    all.push_back({at, at + text_.size()});
  return all;
}

std::string Pattern::replaced(std::string_view text, std::string_view content) const {
  std::string out;
  std::size_t done = 0;
  for (const Range& match : matches(text)) {
    out += text.substr(done, match.begin - done);
    out += content;
    done = match.end;
  }
  return out += text.substr(done);
}

}  // namespace mgdm::tokenizers
