// tokenizer.json, as Hugging Face's tokenizers writes it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::tokenizers {
namespace {

using nlohmann::json;

constexpr const char* kGpt2Regex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::size_t kMostTokens = 1 << 22;

// An object of the document with the path to it, for messages.
class Node {
 public:
  Node(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  const json& value() const { return value_; }
  const std::string& path() const { return path_; }
  bool null() const { return value_.is_null(); }

  Node operator[](const char* key) const {
    static const json kNull;
    if (!value_.is_object()) throw wrong("an object");
    const auto found = value_.find(key);
    return {found == value_.end() ? kNull : *found, path_ + "." + key};
  }
  std::vector<Node> items() const {
    if (!value_.is_array()) throw wrong("a list");
    std::vector<Node> all;
    for (std::size_t i = 0; i < value_.size(); ++i)
      all.emplace_back(value_[i], fmt::format("{}[{}]", path_, i));
    return all;
  }
  std::string text() const {
    if (!value_.is_string()) throw wrong("text");
    return value_.get<std::string>();
  }
  std::string text_or(const char* otherwise) const { return null() ? otherwise : text(); }
  bool flag(bool otherwise) const {
    if (null()) return otherwise;
    if (!value_.is_boolean()) throw wrong("true or false");
    return value_.get<bool>();
  }
  std::size_t number(std::size_t otherwise) const {
    if (null()) return otherwise;
    return id();
  }
  Id id() const {
    if (!value_.is_number_unsigned() || value_.get<std::uint64_t>() >= kMostTokens)
      throw wrong(fmt::format("a number below {}", kMostTokens));
    return value_.get<Id>();
  }
  std::string type() const { return (*this)["type"].text(); }

  Error wrong(const std::string& expected) const {
    return Error(fmt::format("{} is {}", path_,
                             value_.is_structured() ? value_.type_name()
                                                    : printable(formats::json_text(value_))),
                 expected);
  }
  Error unknown(const std::string& known) const {
    return Error(fmt::format("{}.type is {}", path_, in_quotes(type())), known);
  }

 private:
  const json& value_;
  std::string path_;
};

Pattern read_pattern(const Node& node) {
  if (const Node text = node["String"]; !text.null()) return Pattern::of_text(text.text());
  return Pattern::of_regex(node["Regex"].text());
}

Replace read_replace(const Node& node) {
  return {read_pattern(node["pattern"]), node["content"].text()};
}

// Calls read(step) for the step, or for those of a sequence.
template <class Read>
void each_step(const Node& node, const char* list, const Read& read, int depth = 0) {
  if (node.null()) return;
  if (depth > 8) throw Error(fmt::format("{}: nested too deeply", node.path()));
  if (node.type() != "Sequence") return read(node);
  for (const Node& step : node[list].items()) each_step(step, list, read, depth + 1);
}

Normalizer read_normalizer(const Node& node) {
  Normalizer steps;
  each_step(node, "normalizers", [&](const Node& step) {
    if (step.type() == "Prepend")
      steps.emplace_back(Prepend{step["prepend"].text()});
    else if (step.type() == "Replace")
      steps.emplace_back(read_replace(step));
    else
      throw step.unknown("Prepend, Replace or Sequence");
  });
  return steps;
}

Behavior read_behavior(const Node& node) {
  const std::string name = node.text();
  if (name == "Removed") return Behavior::kRemoved;
  if (name == "Isolated") return Behavior::kIsolated;
  if (name == "MergedWithPrevious") return Behavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return Behavior::kMergedWithNext;
  if (name == "Contiguous") return Behavior::kContiguous;
  throw node.wrong("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

// Newer files say prepend_scheme, older ones add_prefix_space.
Metaspace::Prepend read_prepend(const Node& node) {
  const std::string scheme =
      node["prepend_scheme"].text_or(node["add_prefix_space"].flag(true) ? "always" : "never");
  if (scheme == "always") return Metaspace::Prepend::kAlways;
  if (scheme == "first") return Metaspace::Prepend::kFirst;
  if (scheme == "never") return Metaspace::Prepend::kNever;
  throw node["prepend_scheme"].wrong("always, first or never");
}

PreTokenizer read_pre_tokenizer(const Node& node) {
  PreTokenizer steps;
  each_step(node, "pretokenizers", [&](const Node& step) {
    if (step.type() == "Split") {
      steps.emplace_back(Split{read_pattern(step["pattern"]), read_behavior(step["behavior"]),
                               step["invert"].flag(false)});
    } else if (step.type() == "Digits") {
      const bool each = step["individual_digits"].flag(false);
      steps.emplace_back(
          Split{Pattern::of_regex("\\p{N}"), each ? Behavior::kIsolated : Behavior::kContiguous});
    } else if (step.type() == "ByteLevel") {
      ByteLevel bytes{step["add_prefix_space"].flag(true), step["use_regex"].flag(true)};
      if (bytes.use_regex) bytes.regex.push_back(Pattern::of_regex(kGpt2Regex));
      steps.emplace_back(std::move(bytes));
    } else if (step.type() == "Metaspace") {
      steps.emplace_back(Metaspace{step["replacement"].text_or("\u2581"), read_prepend(step),
                                   step["split"].flag(true)});
    } else {
      throw step.unknown("Split, Digits, ByteLevel, Metaspace or Sequence");
    }
  });
  return steps;
}

Decoder read_decoder(const Node& node) {
  Decoder steps;
  each_step(node, "decoders", [&](const Node& step) {
    const std::string type = step.type();
    if (type == "Replace")
      steps.emplace_back(read_replace(step));
    else if (type == "ByteFallback")
      steps.emplace_back(JoinBytes{});
    else if (type == "Fuse")
      steps.emplace_back(Fuse{});
    else if (type == "Strip")
      steps.emplace_back(
          Strip{step["content"].text(), step["start"].number(0), step["stop"].number(0)});
    else if (type == "ByteLevel")
      steps.emplace_back(TextAsBytes{});
    else if (type == "Metaspace")
      steps.emplace_back(SpacesAgain{step["replacement"].text_or("\u2581"),
                                     read_prepend(step) != Metaspace::Prepend::kNever});
    else
      throw step.unknown("Replace, ByteFallback, Fuse, Strip, ByteLevel, Metaspace or Sequence");
  });
  return steps;
}

std::vector<AddedToken> read_added(const Node& node) {
  std::vector<AddedToken> tokens;
  if (node.null()) return tokens;
  for (const Node& item : node.items())
    tokens.push_back({item["id"].id(), item["content"].text(), item["single_word"].flag(false),
                      item["lstrip"].flag(false), item["rstrip"].flag(false),
                      item["normalized"].flag(false), /*in_text=*/true,
                      item["special"].flag(false)});
  return tokens;
}

std::vector<std::string> read_pieces(const Node& node) {
  if (!node.value().is_object()) throw node.wrong("an object of tokens and their numbers");
  std::vector<std::string> pieces;
  for (const auto& [piece, number] : node.value().items()) {
    const Id id = Node(number, fmt::format("{}[{}]", node.path(), in_quotes(piece))).id();
    if (id >= pieces.size()) pieces.resize(std::size_t{id} + 1);
    if (!pieces[id].empty())
      throw Error(fmt::format("{}: {} and {} are both number {}", node.path(),
                              in_quotes(pieces[id]), in_quotes(piece), id),
                  "a number for each token");
    pieces[id] = piece;
  }
  return pieces;
}

void read_merges(const Node& node, Bpe& bpe) {
  std::uint32_t rank = 0;
  for (const Node& item : node.items()) {
    if (item.value().is_string()) {
      const std::string pair = item.text();
      const std::size_t space = pair.find(' ');
      if (space == std::string::npos) throw item.wrong("two tokens with a space between");
      bpe.add_merge(std::string_view(pair).substr(0, space),
                    std::string_view(pair).substr(space + 1), rank++);
      continue;
    }
    const std::vector<Node> pair = item.items();
    if (pair.size() != 2) throw item.wrong("two tokens");
    bpe.add_merge(pair[0].text(), pair[1].text(), rank++);
  }
}

Bpe read_model(const Node& node, const std::vector<std::string>& pieces) {
  // Old files leave the type out.
  if (const std::string type = node["type"].text_or("BPE"); type != "BPE")
    throw node.unknown("BPE");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!node[key].text_or("").empty()) throw node[key].wrong("nothing");
  if (const Node dropout = node["dropout"]; !dropout.null() && dropout.value() != 0)
    throw dropout.wrong("null");
  BpeForm form{.byte_fallback = node["byte_fallback"].flag(false),
               .fuse_unknown = node["fuse_unk"].flag(false),
               .ignore_merges = node["ignore_merges"].flag(false)};
  if (const Node unknown = node["unk_token"]; !unknown.null()) {
    const auto found = std::ranges::find(pieces, unknown.text());
    if (found == pieces.end()) throw unknown.wrong("a token of the vocabulary");
    form.unknown = static_cast<Id>(found - pieces.begin());
  }
  Bpe bpe(pieces, form);
  read_merges(node["merges"], bpe);
  return bpe;
}

}  // namespace

Tokenizer parse_tokenizer_json(std::string_view text, const std::string& source) {
  const json document = formats::json_of(text, source, "a tokenizer.json");
  return with_location(source, 0, [&] {
    const Node root(document, "tokenizer");
    Parts parts{.pieces = read_pieces(root["model"]["vocab"]),
                .added = read_added(root["added_tokens"]),
                .normalizer = read_normalizer(root["normalizer"]),
                .pre_tokenizer = read_pre_tokenizer(root["pre_tokenizer"]),
                .decoder = read_decoder(root["decoder"])};
    Bpe bpe = read_model(root["model"], parts.pieces);
    return Tokenizer(std::move(parts), std::move(bpe));
  });
}

}  // namespace mgdm::tokenizers
