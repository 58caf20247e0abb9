#include "data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "data/word_lists.h"

namespace mgdm::data {
namespace {

using tokenizers::Tokenizer;

// The line break, as a byte of its own or in GPT-2's alphabet of bytes.
Token line_break(const Tokenizer& tokenizer) {
  for (const char* name : {"<0x0A>", "\u010A", "\n"})
    if (const auto id = tokenizer.find(name)) return *id;
  throw Error("the tokenizer has no token for a line break",
              "one that separates a puzzle from its answer");
}

// Whether no puzzle can contain it: nothing of it is printable ASCII or stands for a space.
bool is_spare(const std::string& token) {
  constexpr std::string_view kSpaces[] = {"\u2581", "\u0120"};
  return std::none_of(token.begin(), token.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
         std::none_of(std::begin(kSpaces), std::end(kSpaces), [&](std::string_view space) {
           return token.find(space) != std::string::npos;
         });
}

Specials specials_in(const Tokenizer& tokenizer, int size) {
  const tokenizers::Meanings& meanings = tokenizer.meanings();
  if (!meanings.end)
    throw Error("the tokenizer names no token for the end of a text",
                "eos_token in tokenizer_config.json or special_tokens_map.json");
  Specials found{.sep = line_break(tokenizer), .eos = *meanings.end};
  std::vector<Token> used{found.sep, found.eos};
  if (meanings.begin) used.push_back(*meanings.begin);
  // Tokens meant for padding and unknown text come first, then spare ones, from the last on.
  std::vector<std::optional<Token>> offered{meanings.pad, meanings.unknown};
  for (int id = size - 1; id >= 0; --id) {
    const auto token = static_cast<Token>(id);
    if (token >= tokenizer.size() || is_spare(tokenizer.token(token))) offered.emplace_back(token);
  }
  std::size_t next = 0;
  for (Token* const wanted : {&found.pad, &found.mask, &found.unk}) {
    while (next < offered.size() &&
           (!offered[next] || std::find(used.begin(), used.end(), *offered[next]) != used.end()))
      ++next;
    if (next == offered.size())
      throw Error("the tokenizer has no token to spare for [PAD], [MASK] and [UNK]",
                  "three that no puzzle contains");
    used.push_back(*wanted = *offered[next]);
  }
  return found;
}

// What has no token is dropped or becomes <unk>, and the puzzle another one, without a word.
void check_has_characters(const Tokenizer& tokenizer) {
  for (const char c : kPaperAlphabet) {
    const std::string text{'1', c, '1'};
    if (trim(tokenizer.decode(tokenizer.encode(text))) != text)
      throw Error(fmt::format("the tokenizer has no token for {}", in_quotes(text.substr(1, 1))),
                  fmt::format("one for each of {}", kPaperAlphabet));
  }
}

constexpr std::size_t kMostCharacters = 65536 - kSpecialTokens;

bool may_be_a_token(std::string_view character) {
  return character.front() == '\n' || character.front() == '\t' ||
         printable(character) == character;
}

[[noreturn]] void refuse_character(std::string_view character, std::string_view text) {
  throw Error(
      fmt::format("{} has {}, which cannot be a token", in_quotes(text), in_quotes(character)),
      "printable characters in UTF-8, line breaks and tabs",
      "data.alphabet=@bytes, which has every byte");
}

std::vector<std::string> characters_of(std::string_view alphabet) {
  std::vector<std::string> characters;
  std::set<std::string_view> seen;
  for (std::string_view rest = alphabet; !rest.empty();) {
    const std::string_view character = rest.substr(0, std::max<std::size_t>(1, utf8_length(rest)));
    if (!may_be_a_token(character)) refuse_character(character, alphabet);
    if (!seen.insert(character).second)
      throw Error(
          fmt::format("the alphabet {} has {} twice", in_quotes(alphabet), in_quotes(character)),
          "each character once");
    characters.emplace_back(character);
    rest.remove_prefix(character.size());
  }
  if (characters.empty() || characters.size() > kMostCharacters)
    throw Error(fmt::format("an alphabet of {} characters", characters.size()),
                fmt::format("1 to {} characters", kMostCharacters));
  return characters;
}

}  // namespace

void AlphabetFinder::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(1, utf8_length(text));
    const std::string_view character = text.substr(0, size);
    if (!may_be_a_token(character)) refuse_character(character, text);
    if (!characters_.contains(character)) characters_.emplace(character);
    text.remove_prefix(size);
  }
}

std::string AlphabetFinder::alphabet() const {
  std::string found, last;  // the order of UTF-8 is that of code points
  for (const std::string& character : characters_) (character == "@" ? last : found) += character;
  return found + last;
}

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
  is_list_ = list.has_value();
  words_ = std::make_shared<Words>(list ? std::move(*list) : characters_of(alphabet));
  size_ = kSpecialTokens + static_cast<int>(words_->all.size());
}

Vocabulary::Vocabulary(std::shared_ptr<const Tokenizer> tokenizer, int size)
    : tokenizer_(std::move(tokenizer)), size_(size) {
  if (tokenizer_->size() > static_cast<std::size_t>(size))
    throw Error(
        fmt::format("a tokenizer of {} tokens with a model of {}", tokenizer_->size(), size),
        "at most as many as the model has");
  specials_ = specials_in(*tokenizer_, size);
  check_has_characters(*tokenizer_);
}

bool Vocabulary::is_special(Token token) const {
  const auto all = specials_.all();
  return std::find(all.begin(), all.end(), token) != all.end();
}

const std::vector<std::string>& Vocabulary::words() const {
  MGDM_CHECK(words_ != nullptr);
  return words_->all;
}

std::vector<Token> Vocabulary::encode(std::string_view text) const {
  if (tokenizer_) {
    std::vector<Token> tokens = tokenizer_->encode(text);
    for (const Token token : tokens)
      if (is_special(token))
        throw Error(fmt::format("{} contains {}, which has a meaning of its own", in_quotes(text),
                                in_quotes(tokenizer_->token(token))),
                    "a puzzle in one line");
    return tokens;
  }
  std::vector<Token> tokens;
  tokens.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const auto [token, size] = words_->at_front(rest);
    if (token == kUnk)
      throw Error(
          fmt::format("character {} of {} has no token",
                      in_quotes(rest.substr(0, std::max<std::size_t>(1, utf8_length(rest)))),
                      in_quotes(text)),
          is_list_ ? "text in the words of " + shortened(printable(alphabet_), 60)
                   : fmt::format("only the characters {}", in_quotes(alphabet_)));
    tokens.push_back(token);
    rest.remove_prefix(size);
  }
  return tokens;
}

std::vector<Token> Vocabulary::encode_first(std::string_view text) const {
  std::vector<Token> tokens = encode(text);
  if (tokenizer_ && tokenizer_->meanings().begin)
    tokens.insert(tokens.begin(), *tokenizer_->meanings().begin);
  return tokens;
}

std::size_t Vocabulary::count_first(std::string_view text) const {
  return tokenizer_ ? encode_first(text).size() : count(text);
}

std::size_t Vocabulary::count(std::string_view text) const {
  if (tokenizer_) return encode(text).size();
  std::size_t tokens = 0;
  for (; !text.empty(); ++tokens) text.remove_prefix(words_->at_front(text).second);
  return tokens;
}

std::string Vocabulary::decode(std::span<const Token> tokens) const {
  const auto specials = specials_.all();
  std::string text;
  std::vector<Token> ordinary;  // of a tokenizer, since the last special one
  const auto flush = [&] {
    if (!ordinary.empty()) text += tokenizer_->decode(ordinary);
    ordinary.clear();
  };
  for (const Token token : tokens) {
    MGDM_CHECK(token < static_cast<Token>(size()));
    const auto found = std::find(specials.begin(), specials.end(), token);
    if (found != specials.end()) {
      flush();
      text += kSpecialNames[static_cast<std::size_t>(found - specials.begin())];
    } else if (tokenizer_ && token >= tokenizer_->size()) {
      flush();
      text += kSpecialNames[kUnk];  // the model's tables are larger than its tokenizer
    } else if (tokenizer_) {
      ordinary.push_back(token);
    } else {
      text += words_->all[static_cast<std::size_t>(token - kSpecialTokens)];
    }
  }
  flush();
  return text;
}

}  // namespace mgdm::data
