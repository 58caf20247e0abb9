#include "model_files/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/floats.h"
#include "formats/json_text.h"
#include "model_files/adapter.h"
#include "model_files/checkpoint_config.h"
#include "model_files/checkpoints.h"
#include "model_files/merge_lora.h"
#include "model_files/modeling_file.h"
#include "model_files/weights.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::model_files {
namespace {

std::string torch_name(formats::Dtype dtype) {
  switch (dtype) {
    case formats::Dtype::kF32:
      return "float32";
    case formats::Dtype::kBF16:
      return "bfloat16";
    case formats::Dtype::kF16:
      return "float16";
    default:
      throw Error(fmt::format("a model saved as {}", formats::name_of(dtype)), "F32, BF16 or F16");
  }
}

std::string config_text(const ModelFiles& files) {
  CheckpointConfig config{files.settings,          files.vocabulary.alphabet(), files.about,
                          torch_name(files.dtype), files.vocabulary.specials(), {}};
  if (const auto& tokenizer = files.vocabulary.tokenizer())
    config.begin = tokenizer->meanings().begin;
  config.modeling_file = files.modeling_file;
  return to_json(config);
}

void write_description(const std::filesystem::path& folder, const ModelFiles& files) {
  MGDM_CHECK(files.vocabulary.size() <= files.settings.vocabulary);
  write_tokenizer_files(folder, files.vocabulary, files.settings.positions);
  write_file((folder / "config.json").string(), config_text(files));
  if (files.modeling_file) write_file((folder / kModelingFile).string(), modeling_text());
}

using Weights = std::map<std::string, const formats::TensorView*>;

// W + alpha / rank B A, where there are A (rank, in) and B (out, rank) for W (out, in).
std::vector<float> merged(const formats::TensorView& base, const Weights& adapter,
                          const spec::LoraSettings& lora) {
  std::vector<float> numbers = formats::to_floats(base);
  constexpr std::string_view kEnd = ".weight";
  const std::string name = base.name.substr(0, base.name.size() - kEnd.size());
  const auto first = adapter.find(name + ".lora_A.weight");
  if (first == adapter.end()) return numbers;
  const std::vector<float> a = formats::to_floats(*first->second);
  const std::vector<float> b = formats::to_floats(*adapter.at(name + ".lora_B.weight"));
  merge_lora(numbers, a, b, static_cast<std::size_t>(lora.rank),
             static_cast<float>(lora.alpha / static_cast<double>(lora.rank)));
  return numbers;
}

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

// The longest word that fits is a token. Every other character is a token by itself, even a line
// break.
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

void write_model_files(const std::filesystem::path& folder,
                       std::span<const formats::TensorView> tensors, const ModelFiles& files) {
  formats::write_safetensors_folder(folder, tensors, formats::kDefaultMetadata,
                                    files.max_shard_bytes);
  write_description(folder, files);
}

void write_adapter_files(const std::filesystem::path& folder,
                         std::span<const formats::TensorView> tensors, const ModelFiles& files) {
  std::vector<formats::TensorView> named(tensors.begin(), tensors.end());
  for (formats::TensorView& tensor : named) tensor.name = peft_name(tensor.name);
  formats::write_safetensors_folder(folder, named, formats::kDefaultMetadata,
                                    formats::kDefaultShardBytes, kAdapterName);
  const std::string base = files.about.base ? files.about.base->folder : "";
  write_file((folder / "adapter_config.json").string(), adapter_json({files.settings.lora, base}));
  write_description(folder, files);
}

void copy_model(const std::filesystem::path& from, const std::filesystem::path& to,
                const CopyOptions& options) {
  CheckpointConfig config = read_config(from);
  const bool lora = is_adapter(from);
  const std::filesystem::path base = lora ? base_folder(from, read_adapter(from)) : from;
  if (!has_vocabulary(from, config))
    throw Error(fmt::format("{} does not name its tokens", in_quotes(from.string())),
                "a model trained by mgdm, or one with a tokenizer");
  if (options.arithmetic) {
    if (!config.about.card)
      throw Error(fmt::format("{} has no card to name an arithmetic", in_quotes(from.string())),
                  "a model trained by mgdm");
    config.about.card->arithmetic = *options.arithmetic;
  }
  if (options.modeling_file) check_needs_modeling_file(config.settings);
  const formats::Dtype dtype = options.dtype;
  const data::Vocabulary vocabulary = read_vocabulary(from, config);
  const formats::Safetensors file = formats::open_safetensors_folder(base);
  const std::vector<const formats::TensorView*> views = weights_in(file, config.settings);
  const std::vector<spec::TensorSpec> names = spec::tensors_of(config.settings);
  std::optional<formats::Safetensors> adapter;
  Weights matrices;
  if (lora) {
    check_base(config.about, base);
    adapter = open_adapter(from);
    matrices = adapter_weights_in(*adapter, config.settings);
  }
  std::vector<std::vector<std::byte>> converted;
  std::vector<formats::TensorView> tensors;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::vector<float> numbers =
        lora ? merged(*views[i], matrices, config.settings.lora) : formats::to_floats(*views[i]);
    if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
      throw Error(fmt::format("{}: not all numbers of {} are finite", from.string(), names[i].name),
                  "finite numbers", "export another checkpoint");
    converted.push_back(formats::from_floats(numbers, dtype));
    tensors.push_back({names[i].name, dtype, views[i]->shape, converted.back()});
  }
  if (lora) {
    config.settings.lora = {};
    config.about.base.reset();
  }
  AtomicFolder folder(to);
  write_model_files(folder.path(), tensors,
                    {.settings = config.settings,
                     .vocabulary = vocabulary,
                     .about = config.about,
                     .dtype = dtype,
                     .max_shard_bytes = options.max_shard_bytes,
                     .modeling_file = options.modeling_file});
  if (!options.history.empty()) write_history(folder.path(), options.history);
  folder.commit();
}

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
