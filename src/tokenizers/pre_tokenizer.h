// The steps that split a text into words, which are encoded one by one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tokenizers/pattern.h"

namespace mgdm::tokenizers {

// Where a match between two words goes.
enum class Behavior {
  kRemoved,
  kIsolated,            // a word of its own
  kMergedWithPrevious,  // the end of the word before it
  kMergedWithNext,      // the beginning of the word after it
  kContiguous,          // a word together with the matches right beside it
};

struct Split {
  Pattern pattern;
  Behavior behavior = Behavior::kIsolated;
  bool invert = false;  // split at the text between matches
};

// Bytes as text (byte_level.h), after GPT-2's expression where `use_regex`.
struct ByteLevel {
  bool add_prefix_space = false;
  bool use_regex = true;
  std::vector<Pattern> regex{};  // of one pattern where it is used
};

// SentencePiece's spaces: "a b" -> "▁a▁b", cut before every ▁ where `split`.
struct Metaspace {
  std::string replacement = "\u2581";
  enum class Prepend { kAlways, kFirst, kNever } prepend = Prepend::kAlways;
  bool split = true;
};

using PreTokenizer = std::vector<std::variant<Split, ByteLevel, Metaspace>>;

// `first`: the text begins where the whole input does.
std::vector<std::string> words_of(const PreTokenizer& steps, const std::string& text, bool first);

}  // namespace mgdm::tokenizers
