#include "tokenizers/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tokenizers {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Bytes of characters beyond ASCII count as letters.
bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word(text[begin - 1])) && (end == text.size() || !is_word(text[end]));
}

}  // namespace

const AddedToken* AddedTokens::at(std::string_view text, std::size_t place, bool normalized) const {
  const AddedToken* longest = nullptr;
  for (const AddedToken& token : tokens_)
    if (token.in_text && token.normalized == normalized && !token.content.empty() &&
        text.substr(place).starts_with(token.content) &&
        (longest == nullptr || longest->content.size() < token.content.size()))
      longest = &token;
  if (longest != nullptr && longest->single_word &&
      !stands_alone(text, place, place + longest->content.size()))
    return nullptr;
  return longest;
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text, bool normalized) const {
  std::string first_bytes;
  for (const AddedToken& token : tokens_)
    if (token.in_text && token.normalized == normalized && !token.content.empty())
      first_bytes += token.content[0];
  std::vector<Part> parts;
  std::size_t done = 0;
  for (std::size_t place = text.find_first_of(first_bytes); place != std::string_view::npos;) {
    const AddedToken* const token = at(text, place, normalized);
    if (token == nullptr) {
      place = text.find_first_of(first_bytes, place + 1);
      continue;
    }
    std::size_t begin = place, end = place + token->content.size();
    while (token->lstrip && begin > done && is_space(text[begin - 1])) --begin;
    while (token->rstrip && end < text.size() && is_space(text[end])) ++end;
    if (done < begin) parts.push_back({text.substr(done, begin - done)});
    parts.push_back({text.substr(begin, end - begin), token});
    done = end;
    place = text.find_first_of(first_bytes, done);
  }
  if (done < text.size()) parts.push_back({text.substr(done)});
  return parts;
}

const AddedToken* AddedTokens::find(Id id) const {
  const auto found = std::ranges::find(tokens_, id, &AddedToken::id);
  return found == tokens_.end() ? nullptr : &*found;
}

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
