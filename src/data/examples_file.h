// Reads the puzzles of a file, or of all files in a folder. What they look like is found out
// (formats/records.h); a file may also be one DIMACS formula, a folder one of arrays
// (data/arrays_folder.h).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "formats/records.h"
#include "tasks/task.h"

namespace mgdm::data {

// A puzzle as it is written.
struct FoundPuzzle {
  std::string_view file, format;  // "JSON", "table", "lines", "grids", "DIMACS" or "arrays"
  std::size_t line = 0;           // from 1; 0 when the file is one puzzle
  formats::Puzzle puzzle;
};

// How a task's files are read; tasks other than `text` have puzzles that can be told from others.
formats::Rules rules_for(const tasks::Task& task, const formats::Keys& keys);

// Calls use(found) for each puzzle. What is none is an Error with file:line; with on_bad the error
// goes there and reading continues. One puzzle is held at a time, and those of a pipe come as they
// are written: the pipe cannot be read again, unless `reading` says so.
using UsePuzzle = std::function<void(FoundPuzzle&& found)>;
void for_each_puzzle(const std::string& path, const formats::Rules& rules, const UsePuzzle& use,
                     const OnBadLine& on_bad = {}, Reading reading = Reading::kOnce);

struct LocatedExample {
  tasks::Example example;  // its input normalised by the task
  std::size_t line = 0;
};

// The puzzles that a task takes; what it does not take is an Error, too.
using UseExample = std::function<void(LocatedExample&& example)>;
void for_each_example(const std::string& path, const tasks::Task& task, const UseExample& use,
                      const OnBadLine& on_bad = {},
                      const formats::Keys& keys = formats::keys_of(""));
std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task,
                                          const formats::Keys& keys = formats::keys_of(""),
                                          const OnBadLine& on_bad = {});

// The files of a folder in the order of their names, without hidden ones; or the file itself.
std::vector<std::string> files_of(const std::string& path);

// What a whole file is, by its first line that is neither blank nor a comment of DIMACS.
enum class FileKind { kRecords, kDimacs, kSolverAnswer };
FileKind file_kind(const std::string& path);

}  // namespace mgdm::data
