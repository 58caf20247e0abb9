// The names of puzzles and answers in JSON and CSV files.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mgdm::data {

// The names come in pairs: a "solution" that `solve --json` wrote is not the label of an "input".
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKnownKeys = {
    {{"input", "output"},
     {"puzzle", "solution"},
     {"question", "answer"},
     {"prompt", "completion"}}};

// Pairs of names that a file may use for puzzle and answer. The first pair that it has counts.
using Keys = std::vector<std::pair<std::string, std::string>>;

// Parses "nums=target" into this one pair, and an empty text into the known pairs. Throws a
// UsageError for any other text.
Keys keys_of(std::string_view text);

inline constexpr const char* kKeysHelp =
    "files: the names of puzzle and answer, as in question=answer (empty = the usual ones)";

}  // namespace mgdm::data
