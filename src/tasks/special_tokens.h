// The text of special tokens in an answer, in the order of their ids (data/vocabulary.h).
#pragma once

#include <array>
#include <string_view>

namespace mgdm::tasks {

constexpr std::array<std::string_view, 5> kSpecialNames{"[PAD]", "[SEP]", "[MASK]", "[EOS]",
                                                        "[UNK]"};
constexpr std::string_view kEndName = kSpecialNames[3];

}  // namespace mgdm::tasks
