#include "tokenizers/decoder.h"

#include <optional>

#include "base/utf8.h"
#include "tokenizers/byte_level.h"

namespace mgdm::tokenizers {
namespace {

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

}  // namespace

std::string decoded(const Decoder& steps, Tokens tokens) {
  for (const auto& step : steps)
    tokens =
        std::visit([&](const auto& each) { return decode_step(each, std::move(tokens)); }, step);
  return joined(tokens);
}

}  // namespace mgdm::tokenizers
