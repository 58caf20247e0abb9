// The steps around byte-pair encoding: a text is normalised and split into words, which are encoded
// one by one; tokens become text again.
#pragma once

#include <string>
#include <string_view>
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

// Bytes as text (bytes_as_text), after GPT-2's expression where `use_regex`.
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

// The steps that normalise a text before it is split into words.

// Prepends a string to a text that is not empty.
struct Prepend {
  std::string text;
};

struct Replace {
  Pattern pattern;
  std::string content;
};

// SentencePiece's remove_extra_whitespaces: no spaces at the ends, single ones between words.
struct SingleSpaces {};

using Normalizer = std::vector<std::variant<Prepend, Replace, SingleSpaces>>;

std::string normalized(const Normalizer& steps, std::string text);

// The steps that turn tokens back into text.

// Joins runs of byte tokens such as "<0xE2>" into characters; U+FFFD for invalid bytes.
struct JoinBytes {};

// Joins all tokens into one.
struct Fuse {};

// Strips up to this many of a character from both ends of every token.
struct Strip {
  std::string content;
  std::size_t start = 0, stop = 0;
};

// Decodes the alphabet of bytes (text_as_bytes).
struct TextAsBytes {};

// "▁a" -> " a"; "a" for the first token if the encoder prepended a space.
struct SpacesAgain {
  std::string replacement;
  bool first_was_added = true;
};

using Decoder =
    std::vector<std::variant<Replace, JoinBytes, Fuse, Strip, TextAsBytes, SpacesAgain>>;

std::string decoded(const Decoder& steps, std::vector<std::string> tokens);

// GPT-2's alphabet of bytes: every byte has a printable character of its own, so that a vocabulary
// is text. Printable ASCII and most of Latin-1 stand for themselves, the others for U+0100 on.

// "a b" -> "aĠb".
std::string bytes_as_text(std::string_view bytes);

// Back; characters outside the alphabet (of a special token, say) stay as they are.
std::string text_as_bytes(std::string_view text);

}  // namespace mgdm::tokenizers
