#include "data/word_lists.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "tasks/sat/formula.h"

namespace mgdm::data {
namespace {

std::vector<std::string> search_words() {
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

std::vector<std::string> countdown_words() {
  std::vector<std::string> words{"+", "-", "*", "/", "=", ","};
  for (int number = 0; number < 200; ++number) words.push_back(std::to_string(number));
  for (int digit = 0; digit < 10; ++digit) words.push_back(fmt::format("0{}", digit));
  return words;
}

std::vector<std::string> sat_words(const tasks::sat::Notation& notation) {
  const int last = notation.variables();
  std::vector<std::string> words{",", "/"};
  for (int variable = 1; variable <= last; ++variable) {
    for (const int literal : {variable, -variable}) {
      const char c = notation.character(literal);
      words.emplace_back(1, c);
      words.push_back({c, ','});
    }
  }
  for (int a = 1; a <= last; ++a)
    for (int b = a + 1; b <= last; ++b)
      for (int c = b + 1; c <= last; ++c)
        for (const int x : {a, -a})
          for (const int y : {b, -b})
            for (const int z : {c, -c})
              words.push_back(fmt::format("{},{},{}/", notation.character(x), notation.character(y),
                                          notation.character(z)));
  return words;
}

std::vector<std::string> bytes() {
  std::vector<std::string> words;
  for (int byte = 0; byte < 256; ++byte) words.emplace_back(1, static_cast<char>(byte));
  return words;
}

struct WordList {
  std::string name;
  std::function<std::vector<std::string>()> words;
};

const std::vector<WordList>& lists() {
  static const std::vector<WordList> kLists = [] {
    std::vector<WordList> lists{
        {"@bytes", bytes}, {"@countdown", countdown_words}, {"@search", search_words}};
    for (int n = tasks::sat::kMinVariables; n <= tasks::sat::kMaxVariables; ++n)
      lists.push_back(
          {fmt::format("@sat-{}", n), [n] { return sat_words(tasks::sat::Notation::of(n)); }});
    return lists;
  }();
  return kLists;
}

constexpr std::string_view kOwn = "@words";

std::vector<std::string> words_in(std::string_view lines) {
  std::vector<std::string> words;
  std::set<std::string_view> seen;
  for (const std::string_view line : split(lines, '\n')) {
    if (!seen.insert(line).second)
      throw Error(fmt::format("the word {} comes twice", in_quotes(line)), "each word once");
    words.emplace_back(line.empty() ? "\n" : line);
  }
  return words;
}

}  // namespace

std::string own_words(const std::vector<std::string>& words) {
  std::string name(kOwn);
  for (const std::string& word : words) name += "\n" + (word == "\n" ? "" : word);
  return name;
}

std::optional<std::vector<std::string>> word_list(std::string_view name) {
  if (name.starts_with(std::string(kOwn) + "\n")) return words_in(name.substr(kOwn.size() + 1));
  for (const WordList& list : lists())
    if (name == list.name) return list.words();
  return std::nullopt;
}

std::vector<std::string> word_list_names() {
  std::vector<std::string> names;
  for (const WordList& list : lists()) names.push_back(list.name);
  return names;
}

}  // namespace mgdm::data
