// Tokens that stand in a text as they are: "<|eot_id|>". They are found before the rest is encoded.
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
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and that after it
  bool normalized = false;   // looked for in the normalised text
  bool in_text = true;       // looked for at all: SentencePiece's control pieces are not
  bool special = false;      // has a meaning, and is no text
};

class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {}

  struct Part {
    std::string_view text;
    const AddedToken* token = nullptr;  // null: text between them
  };
  // In order; of several that begin at one place the longest counts. Looks only for those whose
  // `normalized` is as asked.
  std::vector<Part> split(std::string_view text, bool normalized) const;

  const std::vector<AddedToken>& all() const { return tokens_; }
  const AddedToken* find(Id id) const;

 private:
  const AddedToken* at(std::string_view text, std::size_t place, bool normalized) const;

  std::vector<AddedToken> tokens_;
};

}  // namespace mgdm::tokenizers
