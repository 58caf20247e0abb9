#include "formats/sudoku_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "formats/sudoku_csv.h"
#include "formats/sudoku_lines.h"

namespace mgdm::formats {

void for_each_sudoku(const std::string& path, const SudokuSink& sink, Reading reading,
                     const OnBadLine& on_bad) {
  const SudokuOutlet outlet{path, sink, on_bad};
  SudokuCsv csv(outlet);
  SudokuLines lines(outlet);
  std::optional<bool> is_csv;
  LineReader reader(path, reading);
  for (std::string_view read; reader.next(read);) {
    const std::string_view line = trim(read);
    if (!is_csv && !line.empty() && line.front() != '#') is_csv = begins_sudoku_csv(line);
    if (is_csv.value_or(false)) {
      if (!line.empty() && line.front() != '#') csv.add(line, reader.line_number());
    } else {
      lines.add(read, reader.line_number());  // which passes over the same
    }
  }
  lines.finish();
}

std::optional<std::string> find_sudoku(std::string_view text) {
  std::vector<std::string> found;
  bool bad = false;
  SudokuLines lines({"",
                     [&](SudokuRecord&& record, std::size_t) { found.push_back(record.puzzle); },
                     [&](const Error&) { bad = true; }});
  for (const std::string_view line : split(text, '\n')) lines.add(line, 0);
  lines.finish();
  if (bad || found.size() != 1) return std::nullopt;
  return found.front();
}

std::string sudoku_csv_row(const SudokuRecord& record) {
  if (!record.solution)
    throw Error(fmt::format("the puzzle {} has no solution to write",
                            in_quotes(record.puzzle, kSudokuCells)),
                "a solution for every row of a Sudoku CSV", "solve it first, or write lines");
  return fmt::format("{},{}\n", record.puzzle, *record.solution);
}

}  // namespace mgdm::formats
