// Vocabularies of whole words, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::data {

// "@search": the phrases of a search (tasks/countdown/stream_of_search.h, search_text.h), its
// signs, and the numbers 0 to 999; a larger number is its digits in groups of three from the left.
// "@countdown": the numbers 0 to 199, two digits with a zero before them, and the signs. Larger
// numbers, which are few, are cut from the left: 4321 into 43 and 21, 1234 into 123 and 4.
// "@sat-5" to "@sat-9": the clauses of a formula of so many variables with the mark that ends them
// ("1,c,3/"), the literals of an answer with the comma after them, and each of these characters
// alone. A formula is then a token a clause, but for its last, which is three literals.
// "@bytes": every byte, for texts that are not UTF-8.
// "@words" and then a line for each word: a list of the user's own, which own_words() makes. An
// empty line is the line break.
// None for any other name. Error when a word of one's own comes twice.
std::optional<std::vector<std::string>> word_list(std::string_view name);

std::string own_words(const std::vector<std::string>& words);

std::vector<std::string> word_list_names();

}  // namespace mgdm::data
