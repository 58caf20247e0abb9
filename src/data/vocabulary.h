// Text to token ids and back.
//
// Ids 0..4 are special; then one id per word. Words are the characters of an alphabet (the paper's
// gives 31 tokens) in UTF-8, or those of a list that goes by a name in the alphabet's place
// (word_lists.h): "@search". Text is cut into words from left to right, the longest that fits
// first.
//
// Or text is what the tokenizer of a language model makes of it. Ids are then the model's own, and
// the special ones are among them: Specials.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/special_tokens.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::data {

using Token = std::uint32_t;  // wide enough for vocabularies of any size

enum SpecialToken : std::uint8_t { kPad = 0, kSep = 1, kMask = 2, kEos = 3, kUnk = 4 };
using tasks::kSpecialNames;
constexpr int kSpecialTokens = static_cast<int>(kSpecialNames.size());
constexpr std::string_view kPaperAlphabet = "0123456789*+-/=,abcdefghij";

// Collects the alphabet of texts.
class AlphabetFinder {
 public:
  // Throws an Error if the text is not UTF-8 or has a control character.
  void add(std::string_view text);

  // Returns the characters in the order of their code points, except that '@' comes last: an
  // alphabet that begins with '@' would be the name of a word list.
  std::string alphabet() const;
  const std::set<std::string, std::less<>>& characters() const { return characters_; }

 private:
  std::set<std::string, std::less<>> characters_;
};

// The ids of the special tokens, all different, in the order of kSpecialNames.
struct Specials {
  Token pad = kPad, sep = kSep, mask = kMask, eos = kEos, unk = kUnk;

  std::array<Token, kSpecialTokens> all() const { return {pad, sep, mask, eos, unk}; }
  bool operator==(const Specials&) const = default;
};

class Vocabulary {
 public:
  // Error when a character comes twice or there are too many.
  explicit Vocabulary(std::string_view alphabet = kPaperAlphabet);

  // A language model's, of `size` tokens (as many as its tables have; the tokenizer may know
  // fewer). [EOS] is the tokenizer's end of a text and [SEP] its line break; [PAD], [MASK] and
  // [UNK], which no text contains, are tokens that puzzles have no use for. Error when one of them
  // is missing, or one for a character of the paper's alphabet.
  Vocabulary(std::shared_ptr<const tokenizers::Tokenizer> tokenizer, int size);

  int size() const { return size_; }
  const Specials& specials() const { return specials_; }
  bool is_special(Token token) const;

  // One of the two: an alphabet or the name of a list; or nothing and a tokenizer.
  const std::string& alphabet() const { return alphabet_; }
  const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer() const { return tokenizer_; }

  // What text is measured in, for people: "characters", "words" or "tokens".
  std::string_view unit() const {
    if (tokenizer_) return "tokens";
    return is_list_ ? "words" : "characters";
  }

  // In the order of their ids, after the special ones; not of a tokenizer.
  const std::vector<std::string>& words() const;

  // Error names the first character that no word begins with.
  std::vector<Token> encode(std::string_view text) const;
  std::size_t count(std::string_view text) const;  // of its tokens

  // encode() and count() of the text that a row begins with: some tokenizers put a token before it.
  std::vector<Token> encode_first(std::string_view text) const;
  std::size_t count_first(std::string_view text) const;

  // Special tokens appear by name: "12[EOS][PAD]".
  std::string decode(std::span<const Token> tokens) const;

 private:
  struct Words;

  std::string alphabet_;
  bool is_list_ = false;                // alphabet_ is the name of a list
  std::shared_ptr<const Words> words_;  // which never change
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  int size_ = 0;
  Specials specials_;
};

}  // namespace mgdm::data
