#include "base/text.h"
#include "fuzz.h"
#include "tokenizers/tokenizer.h"

// Either file, and a text behind the last line break for what was read.
MGDM_FUZZ(text) {
  using namespace mgdm;
  const std::size_t cut = text.rfind('\n');
  const std::string_view file = text.substr(0, cut);
  const std::string words =
      cut == std::string_view::npos ? "ab 12" : to_valid_utf8(text.substr(cut + 1));
  const tokenizers::Tokenizer tokenizer = file.starts_with('{')
                                              ? tokenizers::parse_tokenizer_json(file, "fuzz")
                                              : tokenizers::parse_tokenizer_model(file, "fuzz");
  const std::vector<tokenizers::Id> ids = tokenizer.encode(words);
  for (const tokenizers::Id id : ids) fuzz::require(id < tokenizer.size());
  fuzz::require(find_invalid_utf8(tokenizer.decode(ids)) == std::string::npos);
}
