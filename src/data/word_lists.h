// Vocabularies of whole words, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::data {

// "@search": the phrases of a search (tasks/countdown/stream_of_search.h, search_text.h), its
// signs, and the numbers 0 to 999; a larger number is its digits in groups of three from the left.
// None for any other name.
std::optional<std::vector<std::string>> word_list(std::string_view name);

}  // namespace mgdm::data
