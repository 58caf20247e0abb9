// Reads examples of the task `text`: strings, as they are.
//
//   {"question": ..., "answer": ...}  JSONL. A list as puzzle is lines; a list as answer is several
//                                     answers that are all right, or lines where the puzzle is
//                                     lines, too. Numbers are their digits.
//   question,answer                   CSV with names in its first line, commas or semicolons
//   ...<tab>...                       a puzzle and its answer; names in the first line are optional
//   ...                               lines of puzzles without answers
#pragma once

#include <string>

#include "base/error.h"
#include "data/examples_file.h"
#include "data/keys.h"

namespace mgdm::data {

// Calls use(example) for each, unchecked. A malformed line is an Error with file:line; with on_bad
// the error goes there and reading continues.
void for_each_text(const std::string& path, const Keys& keys, const UseExample& use,
                   const OnBadLine& on_bad = {});

}  // namespace mgdm::data
