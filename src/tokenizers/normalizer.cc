#include "tokenizers/normalizer.h"

#include "base/text.h"

namespace mgdm::tokenizers {
namespace {

std::string normalize(const Prepend& step, const std::string& text) {
  return text.empty() ? text : step.text + text;
}

std::string normalize(const Replace& step, const std::string& text) {
  return step.pattern.replaced(text, step.content);
}

std::string normalize(const SingleSpaces&, const std::string& text) {
  std::string out;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) (out += out.empty() ? "" : " ") += word;
  return out;
}

}  // namespace

std::string normalized(const Normalizer& steps, std::string text) {
  for (const auto& step : steps)
    text = std::visit([&](const auto& each) { return normalize(each, text); }, step);
  return text;
}

}  // namespace mgdm::tokenizers
