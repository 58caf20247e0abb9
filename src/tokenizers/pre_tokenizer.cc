#include "tokenizers/pre_tokenizer.h"

#include <utility>

#include "tokenizers/byte_level.h"

namespace mgdm::tokenizers {
namespace {

// The whole text in parts, each a match or not.
struct Part {
  std::string text;
  bool match = false;
};

std::vector<Part> parts_of(const Split& split, const std::string& text) {
  std::vector<Part> parts;
  std::size_t done = 0;
  const auto add = [&](std::size_t begin, std::size_t end, bool match) {
    if (begin < end) parts.push_back({text.substr(begin, end - begin), match != split.invert});
  };
  for (const Range& match : split.pattern.matches(text)) {
    add(done, match.begin, false);
    add(match.begin, match.end, true);
    done = match.end;
  }
  add(done, text.size(), false);
  return parts;
}

std::vector<std::string> cut(const Split& split, const std::string& text, bool) {
  std::vector<std::string> words;
  bool glued = false, after_match = false;  // the next part belongs to the last word
  for (Part& part : parts_of(split, text)) {
    const bool join = std::exchange(glued, false);
    const bool both = std::exchange(after_match, part.match) && part.match;
    if (part.match && split.behavior == Behavior::kRemoved) continue;
    const bool to_previous = part.match && (split.behavior == Behavior::kMergedWithPrevious ||
                                            (split.behavior == Behavior::kContiguous && both));
    // Two matches side by side: the second one stays alone.
    const bool alone = split.behavior == Behavior::kMergedWithPrevious && both;
    if ((join && !(part.match && split.behavior == Behavior::kMergedWithNext)) ||
        (to_previous && !alone && !words.empty()))
      words.back() += part.text;
    else
      words.push_back(std::move(part.text));
    glued = part.match && split.behavior == Behavior::kMergedWithNext;
  }
  return words;
}

std::vector<std::string> cut(const ByteLevel& step, const std::string& text, bool) {
  const bool space = step.add_prefix_space && !text.starts_with(' ');
  const std::string whole = space ? " " + text : text;
  std::vector<std::string> words{whole};
  if (step.use_regex) words = cut(Split{step.regex.front()}, whole, false);
  for (std::string& word : words) word = bytes_as_text(word);
  return words;
}

std::vector<std::string> cut(const Metaspace& step, const std::string& text, bool first) {
  std::string replaced = Pattern::of_text(" ").replaced(text, step.replacement);
  const bool prepend = step.prepend == Metaspace::Prepend::kAlways ||
                       (step.prepend == Metaspace::Prepend::kFirst && first);
  if (prepend && !replaced.starts_with(step.replacement)) replaced = step.replacement + replaced;
  if (!step.split) return {replaced};
  return cut(Split{Pattern::of_text(step.replacement), Behavior::kMergedWithNext}, replaced, false);
}

}  // namespace

std::vector<std::string> words_of(const PreTokenizer& steps, const std::string& text, bool first) {
  std::vector<std::string> words{text};
  for (const auto& step : steps) {
    std::vector<std::string> next;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool begins = first && i == 0;
      auto more = std::visit([&](const auto& each) { return cut(each, words[i], begins); }, step);
      for (std::string& word : more) next.push_back(std::move(word));
    }
    words = std::move(next);
  }
  return words;
}

}  // namespace mgdm::tokenizers
