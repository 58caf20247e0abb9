#include "tokenizers/tokenizer.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"

namespace mgdm::tokenizers {

Tokenizer::Tokenizer(Parts parts, Bpe bpe)
    : parts_(std::move(parts)), added_(parts_.added), bpe_(std::move(bpe)) {
  for (const AddedToken& token : parts_.added) {
    if (token.id >= parts_.pieces.size()) parts_.pieces.resize(std::size_t{token.id} + 1);
    parts_.pieces[token.id] = token.content;
  }
}

std::optional<Id> Tokenizer::find(std::string_view token) const {
  for (const AddedToken& added : added_.all())
    if (added.content == token) return added.id;
  return bpe_.find(token);
}

std::vector<Id> Tokenizer::encode(std::string_view text) const {
  if (const std::size_t wrong = find_invalid_utf8(text); wrong != std::string_view::npos)
    throw Error(fmt::format("{} is not UTF-8 at byte {}", in_quotes(text), wrong), "UTF-8");
  std::vector<Id> ids;
  bool first = true;
  for (const AddedTokens::Part& outer : added_.split(text, /*normalized=*/false)) {
    if (outer.token != nullptr) {
      ids.push_back(outer.token->id);
      first = false;
      continue;
    }
    const std::string clean = normalized(parts_.normalizer, std::string(outer.text));
    for (const AddedTokens::Part& inner : added_.split(clean, /*normalized=*/true)) {
      if (inner.token != nullptr)
        ids.push_back(inner.token->id);
      else
        for (const std::string& word :
             words_of(parts_.pre_tokenizer, std::string(inner.text), first))
          bpe_.encode(word, ids);
      first = false;
    }
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const Id> ids, bool skip_special) const {
  std::vector<std::string> tokens;
  for (const Id id : ids) {
    if (id >= size())
      throw Error(fmt::format("token {}", id), fmt::format("one of {} tokens", size()));
    const AddedToken* const added = added_.find(id);
    if (added != nullptr && added->special && skip_special) continue;
    tokens.push_back(parts_.pieces[id]);
  }
  return decoded(parts_.decoder, std::move(tokens));
}

}  // namespace mgdm::tokenizers
