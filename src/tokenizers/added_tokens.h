// Tokens that are written literally in a text, such as "<|eot_id|>". They are found before the rest
// of the text is encoded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/bpe.h"

namespace mgdm::tokenizers {

struct AddedToken {
  Id id = 0;
  std::string content;
  bool single_word = false;  // only where no letter or digit stands beside it
  bool lstrip = false;       // includes the white space before it
  bool rstrip = false;       // includes the white space after it
  bool normalized = false;   // looked for in the normalised text
  bool in_text = true;       // looked for at all: SentencePiece's control pieces are not
  bool special = false;      // a control token, which decode() can skip
};

class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {}

  struct Part {
    std::string_view text;
    const AddedToken* token = nullptr;  // null: text between them
  };
  // The parts of a text, in order. The longest token that begins at a place is taken. Only tokens
  // with this value of `normalized` are considered.
  std::vector<Part> split(std::string_view text, bool normalized) const;

  const std::vector<AddedToken>& all() const { return tokens_; }
  const AddedToken* find(Id id) const;

 private:
  const AddedToken* at(std::string_view text, std::size_t place, bool normalized) const;

  std::vector<AddedToken> tokens_;
};

}  // namespace mgdm::tokenizers
