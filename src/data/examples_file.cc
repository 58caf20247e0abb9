#include "data/examples_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
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

// An example whose input the task has checked; a complaint names the line.
LocatedExample located(const std::string& path, std::size_t line, const tasks::Task& task,
                       std::string_view input, std::string output) {
  return with_location(path, line, [&] {
    return LocatedExample{{task.normalize_input(input), std::move(output)}, line};
  });
}

}  // namespace

void for_each_example(const std::string& path, const tasks::Task& task,
                      const std::function<void(LocatedExample&& example)>& use,
                      const OnBadLine& on_bad, const Keys& keys) {
  bool any = false;
  OnBadLine bad;
  if (on_bad)
    bad = [&](const Error& error) {
      any = true;
      on_bad(error);
    };
  const auto give = [&](std::size_t line, std::string_view input, std::string output) {
    any = true;
    auto example =
        unless_bad(bad, [&] { return located(path, line, task, input, std::move(output)); });
    if (example) use(*std::move(example));
  };
  if (task.abilities().any_text)
    for_each_text(
        path, keys,
        [&](LocatedExample&& text) {
          any = true;
          const bool good = unless_bad(bad, [&] {
                              return with_location(path, text.line, [&] {
                                return !task.normalize_input(text.example.input).empty();
                              });
                            }).has_value();
          if (good) use(std::move(text));
        },
        bad);
  else
    switch (file_kind(path)) {
      case FileKind::kEmpty:
        break;
      case FileKind::kJsonl:
        for (formats::JsonlReader reader(path, Reading::kOnce, bad); reader.next();)
          if (auto example = unless_bad(bad, [&] { return example_of(reader, keys); }))
            give(reader.line_number(), example->input, std::move(example->output));
        break;
      case FileKind::kDimacs:
        formats::read_dimacs(read_input(path), path);  // for its complaints, which name the line
        give(0, read_input(path), "");
        break;
      case FileKind::kSolverAnswer:
        throw Error(fmt::format("{} is a solver's answer, not a puzzle", path), "a DIMACS formula");
      case FileKind::kLines: {
        if (task.abilities().sudoku_files) {
          formats::for_each_sudoku(
              path,
              [&](formats::SudokuRecord&& record, std::size_t line) {
                give(line, record.puzzle, record.solution.value_or(""));
              },
              Reading::kOnce, bad);
          break;
        }
        LineReader lines(path, Reading::kOnce);
        for (std::string_view line; lines.next(line);)
          if (says_something(line)) give(lines.line_number(), line, "");
      }
    }
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
                const OnBadLine& on_bad) {
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
        return any ? example_of(reader, keys_of("")).input : "";
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
