// Converts text to the tokens of a language model and back, by the files of the model:
//
//   tokenizer.json     byte-pair encoding as Hugging Face writes it: of bytes (GPT-2, LLaMA 3),
//                      or of characters with byte fallback (LLaMA 2)
//   tokenizer.model    SentencePiece's, byte-pair encoding by scores (LLaMA 1 and 2)
//
//   const Tokenizer tokenizer = load_tokenizer("Llama-2-7b-hf");
//   std::vector<Id> ids = tokenizer.encode("3+4=7");     // without special tokens around
//   std::string text = tokenizer.decode(ids);
//
// A feature in a file that is not supported is an Error that names it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/bpe.h"
#include "tokenizers/steps.h"

namespace mgdm::tokenizers {

// Tokens that are written literally in a text, such as "<|eot_id|>". They are found before the rest
// of the text is encoded.
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

// The components of a tokenizer.
struct Parts {
  std::vector<std::string> pieces;  // by id; empty where there is none
  std::vector<AddedToken> added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  Decoder decoder;
};

// The tokens with a special role, as far as the files name them.
struct Meanings {
  std::optional<Id> begin, end, unknown, pad;
};

class Tokenizer {
 public:
  Tokenizer(Parts parts, Bpe bpe);

  std::size_t size() const { return parts_.pieces.size(); }  // ids are below
  const std::string& token(Id id) const { return parts_.pieces.at(id); }
  std::optional<Id> find(std::string_view token) const;  // a piece or an added token

  // The tokens of a UTF-8 text (Error otherwise), added tokens included.
  std::vector<Id> encode(std::string_view text) const;

  // The text of tokens. Special tokens are left out if `skip_special`, else written by name.
  std::string decode(std::span<const Id> ids, bool skip_special = true) const;

  const Meanings& meanings() const { return meanings_; }
  void set_meanings(const Meanings& meanings) { meanings_ = meanings; }

  // The files that it was read from, by name; they are saved with the model.
  const std::map<std::string, std::string>& files() const { return files_; }
  void set_files(std::map<std::string, std::string> files) { files_ = std::move(files); }

 private:
  Parts parts_;
  AddedTokens added_;
  Bpe bpe_;
  Meanings meanings_;
  std::map<std::string, std::string> files_;
};

// The tokenizer of a model's folder: tokenizer.json, or else tokenizer.model, with the special
// tokens of tokenizer_config.json and special_tokens_map.json. Error without either file.
Tokenizer load_tokenizer(const std::filesystem::path& folder);

// Whether a folder has tokenizer.json or tokenizer.model.
bool has_tokenizer(const std::filesystem::path& folder);

// Parses the contents of either file; `source` names it in messages.
Tokenizer parse_tokenizer_json(std::string_view text, const std::string& source);
Tokenizer parse_tokenizer_model(std::string_view bytes, const std::string& source);

}  // namespace mgdm::tokenizers
