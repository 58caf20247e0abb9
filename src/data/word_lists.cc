#include "data/word_lists.h"

namespace mgdm::data {

std::optional<std::vector<std::string>> word_list(std::string_view name) {
  if (name != "@search") return std::nullopt;
  std::vector<std::string> words;
  for (int number = 0; number < 1000; ++number) words.push_back(std::to_string(number));
  for (const char* sign : {"+", "-", "*", "/", "=", ",", ", ", "'", "', '", "\n", ": ", ":["})
    words.emplace_back(sign);
  for (const char* phrase : {"Current State: ", "], Operations: [", "]\n", "]",
                             "Exploring Operation: ", ", Resulting Numbers: [", "Generated Node #",
                             "] Operation: ", "] from Operation: ", ": [", "Moving to Node #",
                             " unequal: No Solution", " equal: Goal Reached", "No solution found."})
    words.emplace_back(phrase);
  return words;
}

}  // namespace mgdm::data
