// The steps that turn tokens back into text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tokenizers/normalizer.h"

namespace mgdm::tokenizers {

// Joins runs of byte tokens such as "<0xE2>" into characters; U+FFFD for invalid bytes.
struct JoinBytes {};

// Joins all tokens into one.
struct Fuse {};

// Strips up to this many of a character from both ends of every token.
struct Strip {
  std::string content;
  std::size_t start = 0, stop = 0;
};

// Decodes the alphabet of bytes (byte_level.h).
struct TextAsBytes {};

// "▁a" -> " a"; "a" for the first token if the encoder prepended a space.
struct SpacesAgain {
  std::string replacement;
  bool first_was_added = true;
};

using Decoder =
    std::vector<std::variant<Replace, JoinBytes, Fuse, Strip, TextAsBytes, SpacesAgain>>;

std::string decoded(const Decoder& steps, std::vector<std::string> tokens);

}  // namespace mgdm::tokenizers
