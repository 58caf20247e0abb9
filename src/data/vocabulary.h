// Text to token ids and back.
//
// Ids 0..4 are special; then one id per word. Words are the characters of an alphabet (the paper's
// gives 31 tokens), or those of a list that goes by a name in the alphabet's place (word_lists.h):
// "@search". Text is cut into words from left to right, the longest that fits first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/special_tokens.h"

namespace mgdm::data {

using Token = std::uint32_t;  // wide enough for vocabularies of any size

enum SpecialToken : std::uint8_t { kPad = 0, kSep = 1, kMask = 2, kEos = 3, kUnk = 4 };
using tasks::kSpecialNames;
constexpr int kSpecialTokens = static_cast<int>(kSpecialNames.size());
constexpr std::string_view kPaperAlphabet = "0123456789*+-/=,abcdefghij";

class Vocabulary {
 public:
  // Error when a character comes twice or there are too many.
  explicit Vocabulary(std::string_view alphabet = kPaperAlphabet);

  int size() const { return kSpecialTokens + static_cast<int>(words().size()); }
  const std::string& alphabet() const { return alphabet_; }  // or the name of the list

  // What text is measured in, for people: "characters" or "words".
  std::string_view unit() const { return alphabet_.starts_with('@') ? "words" : "characters"; }

  // In the order of their ids, after the special ones.
  const std::vector<std::string>& words() const;

  // Error names the first character that no word begins with.
  std::vector<Token> encode(std::string_view text) const;
  std::size_t count(std::string_view text) const;  // of its tokens

  // Special tokens appear by name: "12[EOS][PAD]".
  std::string decode(std::span<const Token> tokens) const;

 private:
  struct Words;

  std::string alphabet_;
  std::shared_ptr<const Words> words_;  // which never change
};

}  // namespace mgdm::data
