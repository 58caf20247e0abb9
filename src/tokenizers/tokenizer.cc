#include "tokenizers/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"

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

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char *kJson = "tokenizer.json", *kModel = "tokenizer.model";
// In the order in which they are asked.
constexpr const char* kAboutTokens[] = {"tokenizer_config.json", "special_tokens_map.json"};

json parse_object(const std::string& text, const fs::path& path) {
  json document = formats::parse_json(text);
  if (!document.is_object())
    throw Error(fmt::format("{}: not a JSON object", path.string()), "a file of a tokenizer");
  return document;
}

// "</s>", or {"content": "</s>", ...}; none where it is empty, as some folders of LLaMA 1 have it.
std::optional<std::string> token_named(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end()) return std::nullopt;
  const json& value =
      found->is_object() && found->contains("content") ? found->at("content") : *found;
  if (!value.is_string() || value.get<std::string>().empty()) return std::nullopt;
  return value.get<std::string>();
}

void read_meanings(const std::string& text, const fs::path& path, const Tokenizer& tokenizer,
                   Meanings& meanings) {
  const json document = parse_object(text, path);
  const std::pair<const char*, std::optional<Id>*> wanted[] = {{"bos_token", &meanings.begin},
                                                               {"eos_token", &meanings.end},
                                                               {"unk_token", &meanings.unknown},
                                                               {"pad_token", &meanings.pad}};
  for (const auto& [key, id] : wanted) {
    if (*id) continue;
    const auto name = token_named(document, key);
    if (!name) continue;
    *id = tokenizer.find(*name);
    if (!*id)
      throw Error(fmt::format("{}: {} is {}", path.string(), key, in_quotes(*name)),
                  "a token of the tokenizer");
  }
}

}  // namespace

bool has_tokenizer(const fs::path& folder) {
  return is_there(folder / kJson) || is_there(folder / kModel);
}

Tokenizer load_tokenizer(const fs::path& folder) {
  if (!has_tokenizer(folder))
    throw Error(fmt::format("{}: neither {} nor {}", folder.string(), kJson, kModel),
                "the tokenizer of the model beside its weights");
  std::map<std::string, std::string> files;
  for (const char* name : {kJson, kModel, kAboutTokens[0], kAboutTokens[1]})
    if (is_there(folder / name)) files[name] = formats::read_checked_file(folder / name);
  const bool by_json = files.contains(kJson);
  const char* const name = by_json ? kJson : kModel;
  Tokenizer tokenizer = (by_json ? parse_tokenizer_json : parse_tokenizer_model)(
      files.at(name), (folder / name).string());
  Meanings meanings = tokenizer.meanings();
  for (const char* about : kAboutTokens)
    if (files.contains(about)) read_meanings(files.at(about), folder / about, tokenizer, meanings);
  tokenizer.set_meanings(meanings);
  tokenizer.set_files(std::move(files));
  return tokenizer;
}

}  // namespace mgdm::tokenizers
