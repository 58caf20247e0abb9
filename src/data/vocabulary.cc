#include "data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "data/word_lists.h"

namespace mgdm::data {
namespace {

std::vector<std::string> characters_of(std::string_view alphabet) {
  if (alphabet.empty() || alphabet.size() > 256 - kSpecialTokens)
    throw Error(fmt::format("an alphabet of {} characters", alphabet.size()),
                fmt::format("1 to {} characters", 256 - kSpecialTokens));
  if (std::any_of(alphabet.begin(), alphabet.end(), [](char c) { return c < ' ' || c > '~'; }))
    throw Error("the alphabet " + in_quotes(alphabet), "printable ASCII characters");
  std::vector<std::string> characters;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    if (alphabet.find(alphabet[i]) != i)
      throw Error(fmt::format("the alphabet {} has {} twice", in_quotes(alphabet),
                              in_quotes(alphabet.substr(i, 1))),
                  "each character once");
    characters.emplace_back(1, alphabet[i]);
  }
  return characters;
}

}  // namespace

struct Vocabulary::Words {
  // Lets a map of strings be asked by a part of a text.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  explicit Words(std::vector<std::string> list) : all(std::move(list)) {
    characters.fill(kUnk);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto token = static_cast<Token>(kSpecialTokens + i);
      const auto first = static_cast<unsigned char>(all[i].front());
      longest[first] = std::max(longest[first], all[i].size());
      if (all[i].size() == 1)
        characters[first] = token;
      else
        ids.emplace(all[i], token);
    }
  }

  // The longest word at the beginning of a text that is not empty, and how long it is; kUnk for
  // none.
  std::pair<Token, std::size_t> at_front(std::string_view text) const {
    const auto first = static_cast<unsigned char>(text.front());
    for (std::size_t size = std::min(longest[first], text.size()); size > 1; --size)
      if (const auto found = ids.find(text.substr(0, size)); found != ids.end())
        return {found->second, size};
    return {characters[first], 1};
  }

  std::vector<std::string> all;
  std::array<Token, 256> characters{};                                // words of one character
  std::array<std::size_t, 256> longest{};                             // by first character
  std::unordered_map<std::string, Token, Hash, std::equal_to<>> ids;  // the longer ones
};

Vocabulary::Vocabulary(std::string_view alphabet) : alphabet_(alphabet) {
  auto list = word_list(alphabet);
  words_ = std::make_shared<Words>(list ? std::move(*list) : characters_of(alphabet));
}

const std::vector<std::string>& Vocabulary::words() const { return words_->all; }

std::vector<Token> Vocabulary::encode(std::string_view text) const {
  std::vector<Token> tokens;
  tokens.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const auto [token, size] = words_->at_front(rest);
    if (token == kUnk)
      throw Error(fmt::format("character {} of {} has no token", in_quotes(rest.substr(0, 1)),
                              in_quotes(text)),
                  alphabet_.starts_with('@') ? "text in the words of " + alphabet_
                                             : fmt::format("only the characters {}", alphabet_));
    tokens.push_back(token);
    rest.remove_prefix(size);
  }
  return tokens;
}

std::size_t Vocabulary::count(std::string_view text) const {
  std::size_t tokens = 0;
  for (; !text.empty(); ++tokens) text.remove_prefix(words_->at_front(text).second);
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
      text += words_->all[static_cast<std::size_t>(token - kSpecialTokens)];
  }
  return text;
}

}  // namespace mgdm::data
