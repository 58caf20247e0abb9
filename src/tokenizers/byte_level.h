// GPT-2's alphabet of bytes: every byte has a printable character of its own, so that a vocabulary
// is text. Printable ASCII and most of Latin-1 stand for themselves, the others for U+0100 on.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::tokenizers {

// "a b" -> "aĠb".
std::string bytes_as_text(std::string_view bytes);

// Back; characters outside the alphabet (of a special token, say) stay as they are.
std::string text_as_bytes(std::string_view text);

}  // namespace mgdm::tokenizers
