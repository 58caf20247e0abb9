#include "data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::data {

Vocabulary::Vocabulary(std::string_view alphabet) : alphabet_(alphabet) {
  if (alphabet.empty() || alphabet.size() > 256 - kSpecialTokens)
    throw Error(fmt::format("an alphabet of {} characters", alphabet.size()),
                fmt::format("1 to {} characters", 256 - kSpecialTokens));
  if (std::any_of(alphabet.begin(), alphabet.end(), [](char c) { return c < ' ' || c > '~'; }))
    throw Error("the alphabet " + in_quotes(alphabet), "printable ASCII characters");
  ids_.fill(kUnk);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    Token& id = ids_[static_cast<unsigned char>(alphabet[i])];
    if (id != kUnk)
      throw Error(fmt::format("the alphabet {} has {} twice", in_quotes(alphabet),
                              in_quotes(alphabet.substr(i, 1))),
                  "each character once");
    id = static_cast<Token>(kSpecialTokens + i);
  }
}

void Vocabulary::encode(std::string_view text, std::span<Token> tokens) const {
  MGDM_CHECK(tokens.size() == text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    tokens[i] = ids_[static_cast<unsigned char>(text[i])];
    if (tokens[i] == kUnk)
      throw Error(fmt::format("character {} of {} has no token", in_quotes(text.substr(i, 1)),
                              in_quotes(text)),
                  fmt::format("only the characters {}", alphabet_));
  }
}

std::vector<Token> Vocabulary::encode(std::string_view text) const {
  std::vector<Token> tokens(text.size());
  encode(text, tokens);
  return tokens;
}

std::string Vocabulary::decode(std::span<const Token> tokens) const {
  std::string text;
  text.reserve(tokens.size());
  for (const Token token : tokens) {
    MGDM_CHECK(token < static_cast<Token>(size()));
    if (token < static_cast<Token>(kSpecialTokens))
      text += kSpecialNames[token];
    else
      text += alphabet_[static_cast<std::size_t>(token - kSpecialTokens)];
  }
  return text;
}

}  // namespace mgdm::data
