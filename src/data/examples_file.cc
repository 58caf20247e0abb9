#include "data/examples_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/arrays_folder.h"
#include "data/text_file.h"
#include "formats/dimacs.h"
#include "formats/jsonl.h"
#include "formats/sudoku_csv.h"
#include "formats/sudoku_lines.h"
#include "formats/sudoku_text.h"

namespace mgdm::data {
namespace {

tasks::Example example_of(const formats::JsonlReader& reader, const Keys& keys) {
  std::vector<std::string_view> names;
  for (const auto& [puzzle, solution] : keys) {
    if (auto input = reader.text(puzzle))
      return {*std::move(input), reader.text(solution).value_or("")};
    names.push_back(puzzle);
  }
  return {reader.required_text(names), ""};
}

// Calls give(example) for the examples of a file as they are written.
void for_each_written(const std::string& path, const tasks::Task& task, const Keys& keys,
                      const UseExample& give, const OnBadLine& bad) {
  const tasks::Abilities can = task.abilities();
  if (is_arrays_folder(path)) return for_each_in_arrays(path, give, bad);
  if (can.any_text) return for_each_text(path, keys, give, bad);
  switch (file_kind(path)) {
    case FileKind::kEmpty:
      return;
    case FileKind::kJsonl:
      for (formats::JsonlReader reader(path, Reading::kOnce, bad); reader.next();)
        if (auto example = unless_bad(bad, [&] { return example_of(reader, keys); }))
          give({*std::move(example), reader.line_number()});
      return;
    case FileKind::kDimacs:
      formats::read_dimacs(read_input(path), path);  // for its complaints, which name the line
      return give({{read_input(path), ""}, 0});
    case FileKind::kSolverAnswer:
      throw Error(fmt::format("{} is a solver's answer, not a puzzle", path), "a DIMACS formula");
    case FileKind::kLines: {
      if (can.sudoku_files)
        return formats::for_each_sudoku(
            path,
            [&](formats::SudokuRecord&& record, std::size_t line) {
              give({{std::move(record.puzzle), record.solution.value_or("")}, line});
            },
            Reading::kOnce, bad);
      LineReader lines(path, Reading::kOnce);
      for (std::string_view line; lines.next(line);)
        if (says_something(line)) give({{std::string(line), ""}, lines.line_number()});
    }
  }
}

}  // namespace

void for_each_example(const std::string& path, const tasks::Task& task, const UseExample& use,
                      const OnBadLine& on_bad, const Keys& keys) {
  bool any = false;
  OnBadLine bad;
  if (on_bad)
    bad = [&](const Error& error) {
      any = true;
      on_bad(error);
    };
  const auto check_and_use = [&](LocatedExample&& written) {
    any = true;
    auto input = unless_bad(bad, [&] {
      return with_location(path, written.line,
                           [&] { return task.normalize_input(written.example.input); });
    });
    if (!input) return;
    written.example.input = *std::move(input);
    use(std::move(written));
  };
  for_each_written(path, task, keys, check_and_use, bad);
  if (!any) throw Error(fmt::format("there is no puzzle in {}", shown_path(path)));
}

std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task,
                                          const Keys& keys) {
  std::vector<LocatedExample> examples;
  for_each_example(
      path, task, [&](LocatedExample&& example) { examples.push_back(std::move(example)); }, {},
      keys);
  return examples;
}

bool is_dimacs(const std::string& path) { return file_kind(path) == FileKind::kDimacs; }

bool any_puzzle(const std::string& path, const std::function<bool(const std::string&)>& wanted,
                const OnBadLine& on_bad, const Keys& keys) {
  constexpr int kMost = 100;
  constexpr std::size_t kGridLines = 9 + 4;  // rows, and lines around and between boxes
  const FileKind kind = file_kind(path);
  if (kind == FileKind::kDimacs) return wanted(read_input(path));
  int seen = 0;
  if (kind == FileKind::kJsonl) {
    formats::JsonlReader reader(path);
    bool any = true;
    for (; seen < kMost && any; seen += any) {
      const auto puzzle = unless_bad(on_bad, [&] {
        any = reader.next();
        return any ? example_of(reader, keys).input : "";
      });
      if (any && puzzle && wanted(*puzzle)) return true;
    }
  } else {
    // A Sudoku may be a column, or take several lines: what a line ends is looked at beside it.
    std::optional<std::string> found;
    // Rows of a grid, perhaps, which would pass for a few numbers: asked for when none comes of
    // them. Where there are several, what is wrong with the grid comes first.
    std::vector<std::string> rows_perhaps;
    std::optional<Error> wrong_grid;  // said where nothing else is
    const formats::SudokuOutlet outlet{
        path,
        [&](formats::SudokuRecord&& record, std::size_t) { found = std::move(record.puzzle); },
        [&](const Error& error) {
          if (on_bad && rows_perhaps.size() > 1)
            on_bad(error);
          else if (!wrong_grid)
            wrong_grid = error;
        }};
    formats::SudokuLines grids(outlet);
    formats::SudokuCsv rows(outlet);
    const bool is_csv = is_sudoku_csv(path);
    const auto any_of_them = [&] {
      return std::ranges::any_of(std::exchange(rows_perhaps, {}), wanted);
    };
    LineReader lines(path);
    for (std::string_view read; seen < kMost && lines.next(read);) {
      const std::string_view line = trim(read);
      if (says_something(line)) {
        ++seen;
        const bool begins =
            formats::begins_spaced_sudoku_grid(read) || formats::begins_sudoku_grid(line);
        const bool goes_on = !rows_perhaps.empty() && rows_perhaps.size() < kGridLines &&
                             formats::may_be_sudoku_row(read);
        if (begins || goes_on)
          rows_perhaps.emplace_back(line);
        else if (any_of_them() ||
                 (!formats::is_sudoku_table_row(read) && wanted(std::string(line))))
          return true;
        if (is_csv) rows.add(line, lines.line_number());
      }
      if (!is_csv) grids.add(read, lines.line_number());
      if (found && wanted(*std::exchange(found, std::nullopt))) return true;
    }
    grids.finish();
    if (any_of_them()) return true;
    if (on_bad && wrong_grid) on_bad(*wrong_grid);
  }
  if (seen == 0) throw Error(fmt::format("there is no puzzle in {}", shown_path(path)));
  return false;
}

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
