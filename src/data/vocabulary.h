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

namespace mgdm::data {

using Token = std::uint8_t;

enum SpecialToken : Token { kPad = 0, kSep = 1, kMask = 2, kEos = 3, kUnk = 4 };
constexpr int kSpecialTokens = 5;
constexpr std::array<std::string_view, kSpecialTokens> kSpecialNames{"[PAD]", "[SEP]", "[MASK]",
                                                                     "[EOS]", "[UNK]"};
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
