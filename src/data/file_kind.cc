#include "data/file_kind.h"

#include "base/files.h"
#include "base/text.h"
#include "formats/sudoku_csv.h"

namespace mgdm::data {

FileKind file_kind(const std::string& path) {
  LineReader lines(path);
  bool comments = false;
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (line.empty()) continue;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (word == "c") {
      comments = true;
      continue;
    }
    if (word == "s" || word == "v") return FileKind::kSolverAnswer;
    if (comments || word == "p") return FileKind::kDimacs;
    if (line.starts_with('{')) return FileKind::kJsonl;
    return FileKind::kLines;
  }
  return comments ? FileKind::kDimacs : FileKind::kEmpty;
}

bool says_something(std::string_view line) {
  line = trim(line);
  return !line.empty() && line.front() != '#';
}

bool is_sudoku_csv(const std::string& path) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);)
    if (says_something(line)) return formats::begins_sudoku_csv(trim(line));
  return false;
}

}  // namespace mgdm::data
