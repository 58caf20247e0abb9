// The names of puzzles and answers in JSON and CSV files.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mgdm::formats {

// The names come in pairs: a "solution" that `solve --json` wrote is not the label of an "input".
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKnownKeys = {
    {{"input", "output"},
     {"puzzle", "solution"},
     {"question", "answer"},
     {"prompt", "completion"},
     {"quiz", "solution"},
     {"sudoku", "solution"},
     {"puzzle", "answer"},
     {"question", "solution"},
     {"sudoku", "answer"}}};

// Pairs of names that a file may use for puzzle and answer. The first pair that it has counts, or
// else the first puzzle.
using Keys = std::vector<std::pair<std::string, std::string>>;

// Parses "nums=target" into this one pair, and an empty text into the known pairs. Throws a
// UsageError for any other text.
Keys keys_of(std::string_view text);

// The names of puzzles, each once, for messages.
std::vector<std::string> puzzle_names(const Keys& keys);

// Whether a file's name is this one: upper case and a plural count as the same ("Quizzes").
bool same_name(std::string_view in_file, std::string_view name);

inline constexpr const char* kKeysHelp =
    "files: the names of puzzle and answer, as in question=answer (empty = the usual ones)";

}  // namespace mgdm::formats
