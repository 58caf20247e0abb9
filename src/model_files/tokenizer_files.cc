#include "model_files/tokenizer_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::model_files {
namespace {

using json = nlohmann::ordered_json;
using data::kSpecialNames;

json added_tokens() {
  json tokens = json::array();
  for (std::size_t id = 0; id < kSpecialNames.size(); ++id)
    tokens.push_back({{"id", id},
                      {"content", kSpecialNames[id]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  return tokens;
}

// Of several words that fit, the longest. Every other character stands alone, a line break too.
std::string word_pattern(const data::Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (const std::string& word : vocabulary.words())
    if (word.size() > 1) words.push_back(word);
  std::ranges::stable_sort(
      words, [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  std::string pattern;
  for (const std::string& word : words) {
    for (const char c : word) {
      if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    pattern += '|';
  }
  return pattern + "[\\s\\S]";
}

json tokenizer(const data::Vocabulary& vocabulary) {
  json ids = json::object();
  for (std::size_t id = 0; id < kSpecialNames.size(); ++id)
    ids[std::string(kSpecialNames[id])] = id;
  for (const std::string& word : vocabulary.words()) ids[word] = ids.size();
  return {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added_tokens()},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "Split"},
        {"pattern", {{"Regex", word_pattern(vocabulary)}}},
        {"behavior", "Isolated"},
        {"invert", false}}},
      {"post_processor", nullptr},
      {"decoder", {{"type", "Fuse"}}},
      {"model", {{"type", "WordLevel"}, {"vocab", ids}, {"unk_token", kSpecialNames[data::kUnk]}}}};
}

json special_tokens() {
  return {{"pad_token", kSpecialNames[data::kPad]},
          {"sep_token", kSpecialNames[data::kSep]},
          {"mask_token", kSpecialNames[data::kMask]},
          {"eos_token", kSpecialNames[data::kEos]},
          {"unk_token", kSpecialNames[data::kUnk]}};
}

}  // namespace

void write_tokenizer_files(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
                           std::int64_t max_length) {
  if (vocabulary.tokenizer()) {
    for (const auto& [name, content] : vocabulary.tokenizer()->files())
      write_file((folder / name).string(), content);
    return;
  }
  const auto write = [&](const char* name, const json& content) {
    write_file((folder / name).string(), formats::json_text(content, 2) + "\n");
  };
  write("tokenizer.json", tokenizer(vocabulary));
  write("special_tokens_map.json", special_tokens());
  json config = special_tokens();
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  config["clean_up_tokenization_spaces"] = false;
  config["model_max_length"] = max_length;
  write("tokenizer_config.json", config);
}

}  // namespace mgdm::model_files
