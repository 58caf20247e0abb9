// What puzzles and answers are called in files.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mgdm::data {

// Pair by pair: what `solve --json` calls a solution is no label of an input.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKnownKeys = {
    {{"input", "output"},
     {"puzzle", "solution"},
     {"question", "answer"},
     {"prompt", "completion"}}};

// The names of a file's puzzles and answers, the likeliest first.
using Keys = std::vector<std::pair<std::string, std::string>>;

// "nums=target" is that pair alone; an empty text the known ones. UsageError for anything else.
Keys keys_of(std::string_view text);

inline constexpr const char* kKeysHelp =
    "files: the names of puzzle and answer, as in question=answer (empty = the usual ones)";

}  // namespace mgdm::data
