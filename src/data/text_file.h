// Reads examples of the task `text`. Strings are taken as they are.
//
//   {"question": ..., "answer": ...}  JSONL. A list as puzzle is joined to lines. A list as answer
//                                     is several accepted answers, unless the puzzle is a list,
//                                     too: then it is joined to lines. A number is its digits.
//   question,answer                   CSV with commas or semicolons and names in the first line
//   ...<tab>...                       a puzzle and its answer; names in the first line are optional
//   ...                               lines of puzzles without answers
#pragma once

#include <string>

#include "base/error.h"
#include "data/examples_file.h"
#include "data/keys.h"

namespace mgdm::data {

// Calls use(example) for each example. A malformed line is an Error with file:line; if there is an
// on_bad, it gets the error and reading continues.
void for_each_text(const std::string& path, const Keys& keys, const UseExample& use,
                   const OnBadLine& on_bad = {});

}  // namespace mgdm::data
