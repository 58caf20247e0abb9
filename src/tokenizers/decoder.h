// How tokens become text again, step by step.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tokenizers/normalizer.h"

namespace mgdm::tokenizers {

// Runs of "<0xE2>" become the characters whose bytes they are; U+FFFD for each that is none.
struct JoinBytes {};

// All tokens become one.
struct Fuse {};

// Up to so many of a character off both ends of every token.
struct Strip {
  std::string content;
  std::size_t start = 0, stop = 0;
};

// Back from the alphabet of bytes (byte_level.h).
struct TextAsBytes {};

// "▁a" -> " a", and of the first token "a" where one was put before it.
struct SpacesAgain {
  std::string replacement;
  bool first_was_added = true;
};

using Decoder =
    std::vector<std::variant<Replace, JoinBytes, Fuse, Strip, TextAsBytes, SpacesAgain>>;

std::string decoded(const Decoder& steps, std::vector<std::string> tokens);

}  // namespace mgdm::tokenizers
