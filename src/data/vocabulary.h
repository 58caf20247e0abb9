// Characters to token ids and back.
//
// Ids 0..4 are special; then one id per character of the alphabet. The paper's alphabet gives 31.
#pragma once

#include <array>
#include <cstdint>
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

  int size() const { return kSpecialTokens + static_cast<int>(alphabet_.size()); }
  const std::string& alphabet() const { return alphabet_; }

  // One token per character; Error names the first character that has none.
  void encode(std::string_view text, std::span<Token> tokens) const;
  std::vector<Token> encode(std::string_view text) const;

  // Special tokens appear by name: "12[EOS][PAD]".
  std::string decode(std::span<const Token> tokens) const;

 private:
  std::string alphabet_;
  std::array<Token, 256> ids_{};  // by character; kUnk where there is none
};

}  // namespace mgdm::data
