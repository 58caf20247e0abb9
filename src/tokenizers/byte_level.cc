#include "tokenizers/byte_level.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/utf8.h"

namespace mgdm::tokenizers {
namespace {

// Of code points below U+0800.
std::string utf8_of(unsigned code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

const std::array<std::string, 256>& alphabet() {
  static const std::array<std::string, 256> texts = [] {
    std::array<std::string, 256> all;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool itself =
          (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      all[byte] = utf8_of(itself ? byte : next++);
    }
    return all;
  }();
  return texts;
}

}  // namespace

std::string bytes_as_text(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += alphabet()[static_cast<unsigned char>(byte)];
  return text;
}

std::string text_as_bytes(std::string_view text) {
  static const std::map<std::string, char, std::less<>> bytes = [] {
    std::map<std::string, char, std::less<>> all;
    for (std::size_t byte = 0; byte < 256; ++byte)
      all.emplace(alphabet()[byte], static_cast<char>(byte));
    return all;
  }();
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const std::string_view character = text.substr(0, length);
    if (const auto found = bytes.find(character); found != bytes.end())
      out += found->second;
    else
      out += character;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace mgdm::tokenizers
