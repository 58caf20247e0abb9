// What becomes of a text before it is taken apart, step by step.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tokenizers/pattern.h"

namespace mgdm::tokenizers {

// Before a text that is not empty.
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

}  // namespace mgdm::tokenizers
