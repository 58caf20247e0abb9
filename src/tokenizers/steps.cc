#include "tokenizers/steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

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

std::string normalize(const Prepend& step, const std::string& text) {
  return text.empty() ? text : step.text + text;
}

std::string normalize(const Replace& step, const std::string& text) {
  return step.pattern.replaced(text, step.content);
}

std::string normalize(const SingleSpaces&, const std::string& text) {
  std::string out;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) (out += out.empty() ? "" : " ") += word;
  return out;
}

using Tokens = std::vector<std::string>;

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::optional<char> byte_of(const std::string& token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const std::size_t high = kDigits.find(token[3]), low = kDigits.find(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<char>(16 * high + low);
}

Tokens decode_step(const Replace& step, Tokens tokens) {
  for (std::string& token : tokens) token = step.pattern.replaced(token, step.content);
  return tokens;
}

Tokens decode_step(const JoinBytes&, const Tokens& tokens) {
  Tokens out;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    std::string text = bytes;
    if (find_invalid_utf8(bytes) != std::string::npos) {
      text.clear();
      for (std::size_t i = 0; i < bytes.size(); ++i) text += "\uFFFD";
    }
    out.push_back(text);
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    if (const auto byte = byte_of(token)) {
      bytes += *byte;
      continue;
    }
    flush();
    out.push_back(token);
  }
  flush();
  return out;
}

Tokens decode_step(const Fuse&, const Tokens& tokens) { return {joined(tokens)}; }

Tokens decode_step(const Strip& step, Tokens tokens) {
  if (step.content.empty()) return tokens;
  for (std::string& token : tokens) {
    for (std::size_t i = 0; i < step.start && token.starts_with(step.content); ++i)
      token.erase(0, step.content.size());
    for (std::size_t i = 0; i < step.stop && token.ends_with(step.content); ++i)
      token.erase(token.size() - step.content.size());
  }
  return tokens;
}

Tokens decode_step(const TextAsBytes&, const Tokens& tokens) {
  return {to_valid_utf8(text_as_bytes(joined(tokens)))};
}

Tokens decode_step(const SpacesAgain& step, Tokens tokens) {
  const Pattern pattern = Pattern::of_text(step.replacement);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool added = i == 0 && step.first_was_added && tokens[i].starts_with(step.replacement);
    if (added) tokens[i].erase(0, step.replacement.size());
    tokens[i] = pattern.replaced(tokens[i], " ");
  }
  return tokens;
}

// The UTF-8 text of a code point below U+0800.
std::string utf8_of(unsigned code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

const std::array<std::string, 256>& alphabet() {
  static const std::array<std::string, 256> texts = [] {
    std::array<std::string, 256> all;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool itself =
          (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      all[byte] = utf8_of(itself ? byte : next++);
    }
    return all;
  }();
  return texts;
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

std::string normalized(const Normalizer& steps, std::string text) {
  for (const auto& step : steps)
    text = std::visit([&](const auto& each) { return normalize(each, text); }, step);
  return text;
}

std::string decoded(const Decoder& steps, Tokens tokens) {
  for (const auto& step : steps)
    tokens =
        std::visit([&](const auto& each) { return decode_step(each, std::move(tokens)); }, step);
  return joined(tokens);
}

std::string bytes_as_text(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += alphabet()[static_cast<unsigned char>(byte)];
  return text;
}

std::string text_as_bytes(std::string_view text) {
  static const std::map<std::string, char, std::less<>> bytes = [] {
    std::map<std::string, char, std::less<>> all;
    for (std::size_t byte = 0; byte < 256; ++byte)
      all.emplace(alphabet()[byte], static_cast<char>(byte));
    return all;
  }();
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const std::string_view character = text.substr(0, length);
    if (const auto found = bytes.find(character); found != bytes.end())
      out += found->second;
    else
      out += character;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace mgdm::tokenizers
