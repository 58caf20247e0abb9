#include "tokenizers/pattern.h"

#ifdef MGDM_HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"

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

#ifdef MGDM_HAVE_PCRE2
namespace {

// Files come from strangers: an expression may not take for ever.
constexpr std::uint32_t kMostSteps = 1'000'000;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 200> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* pointer) const { free(pointer); }
};
using MatchData = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data, pcre2_match_data_free>>;
using MatchContext =
    std::unique_ptr<pcre2_match_context, Free<pcre2_match_context, pcre2_match_context_free>>;

}  // namespace

Regex::Regex(const std::string& pattern) : pattern_(pattern) {
  int error = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &place, nullptr);
  if (code == nullptr)
    throw Error(fmt::format("the regular expression {}: {} at character {}",
                            in_quotes(pattern, 200), message_of(error), place),
                "one that PCRE2 understands");
  code_ = std::shared_ptr<const void>(code, [](const void* owned) {
    pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(owned)));
  });
}

std::vector<Range> Regex::matches(std::string_view text) const {
  const auto* const code = static_cast<const pcre2_code*>(code_.get());
  const MatchData data(pcre2_match_data_create_from_pattern(code, nullptr));
  const MatchContext context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMostSteps);
  std::vector<Range> all;
  for (std::size_t from = 0; from < text.size();) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                  from, PCRE2_NOTEMPTY, data.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0)
      throw Error(fmt::format("the regular expression {} on {}: {}", in_quotes(pattern_, 200),
                              in_quotes(text), message_of(found)),
                  "text that it can be matched against");
    const PCRE2_SIZE* const places = pcre2_get_ovector_pointer(data.get());
    if (places[1] <= places[0] || places[0] < from)  // \K can end a match before its beginning
      throw Error(fmt::format("the regular expression {}", in_quotes(pattern_, 200)),
                  "one without \\K");
    all.push_back({places[0], places[1]});
    from = places[1];
  }
  return all;
}

#else

Regex::Regex(const std::string& pattern) {
  throw Error(fmt::format("the regular expression {}, but this mgdm was built without PCRE2",
                          in_quotes(pattern, 200)),
              "a program built with PCRE2", "install libpcre2-dev and build again");
}

std::vector<Range> Regex::matches(std::string_view) const { return {}; }

#endif

}  // namespace mgdm::tokenizers
