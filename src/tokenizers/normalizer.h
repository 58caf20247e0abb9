// The steps that normalise a text before it is split into words.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tokenizers/pattern.h"

namespace mgdm::tokenizers {

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

}  // namespace mgdm::tokenizers
