// The tokenizer of a model's folder, and which of its tokens have a meaning.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::tokenizers {
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
