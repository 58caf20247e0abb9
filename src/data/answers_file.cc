#include "data/answers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/examples_file.h"
#include "data/keys.h"
#include "data/table.h"
#include "formats/dimacs.h"
#include "formats/jsonl.h"
#include "formats/sudoku_text.h"

namespace mgdm::data {
namespace {

// "predict" stands beside a label that may have any of the other names. Of those without it one
// may be the label of another: who means which is not for us to say.
constexpr const char* kPredicted = "predict";

// What get(name) gives for the answer's name, or none; `where` is for the complaint.
template <class Get>
auto the_answer(const std::string& where, Get get) {
  auto found = get(kPredicted);
  if (found) return found;
  std::string_view as;
  for (const auto& [puzzle, name] : kKnownKeys) {
    auto other = get(name);
    if (!other) continue;
    if (found && *found != *other)
      throw Error(fmt::format("{}both '{}' and '{}' may be the answer", where, as, name),
                  "one of them, or the answer in 'predict'");
    found = std::move(other);
    as = name;
  }
  return found;
}

std::string answer_of(const formats::JsonlReader& reader) {
  auto answer = the_answer(at(reader.path(), reader.line_number()),
                           [&](std::string_view name) { return reader.text(name); });
  if (answer) return *std::move(answer);
  if (reader.text("error")) return "";  // a puzzle that `solve` could not read
  std::vector<std::string_view> names{kPredicted};
  for (const auto& [puzzle, name] : kKnownKeys) names.push_back(name);
  return reader.required_text(names);
}

std::string puzzle_of(const formats::JsonlReader& reader) {
  for (const auto& [name, answer] : kKnownKeys)
    if (auto puzzle = reader.text(name)) return *std::move(puzzle);
  return "";
}

// What the first line of a CSV file says.
struct Header {
  char separator;
  std::size_t columns, answer;
  std::optional<std::size_t> puzzle;

  // None where it names no answers.
  static std::optional<Header> of(std::string_view line, const std::string& where) {
    for (const char separator : {',', ';', '\t'}) {
      const std::vector<std::string> cells = csv_cells(line, separator);
      const auto answer =
          the_answer(where, [&](std::string_view name) { return column_named(name, cells); });
      if (!answer) continue;
      std::optional<std::size_t> puzzle;
      for (const auto& [name, other] : kKnownKeys)
        if (!puzzle) puzzle = column_named(name, cells);
      return Header{separator, cells.size(), *answer, puzzle};
    }
    return std::nullopt;
  }

  LocatedAnswer read(const std::vector<std::string>& cells, std::size_t line) const {
    if (cells.size() != columns)
      throw Error(fmt::format("the row has {} columns", cells.size()),
                  fmt::format("{}, as in the first line", columns));
    return {cells[answer], line, puzzle ? cells[*puzzle] : ""};
  }
};

// Reads the header from the first line that is not a comment.
std::optional<Header> header_of(const std::string& path) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);)
    if (says_something(line)) return Header::of(line, at(path, lines.line_number()));
  return std::nullopt;
}

// The answers of a CSV file, unless its first line names no column of them.
std::optional<std::vector<LocatedAnswer>> answers_in_csv(const std::string& path) {
  const std::optional<Header> header = header_of(path);
  if (!header) return std::nullopt;
  std::vector<LocatedAnswer> answers;
  TableReader table(path, {.separator = header->separator, .comments = true});
  bool first = true;
  for (std::vector<std::string> cells; table.next(cells);) {
    if (std::exchange(first, false)) continue;
    const std::size_t line = table.line_number();
    answers.push_back(with_location(path, line, [&] { return header->read(cells, line); }));
  }
  return answers;
}

// The solutions of a Sudoku CSV that does not name them; where there is but one column of grids,
// these, if they are filled in.
LocatedAnswer answer_of(formats::SudokuRecord&& record, std::size_t line) {
  if (record.solution) return {*std::move(record.solution), line, std::move(record.puzzle)};
  if (record.puzzle.find('0') != std::string::npos)
    throw Error("no column has the answer", "one named predict, output, solution or answer");
  return {std::move(record.puzzle), line};
}

}  // namespace

std::vector<LocatedAnswer> read_answers(const std::string& path, const tasks::Task& task) {
  std::vector<LocatedAnswer> answers;
  switch (file_kind(path)) {
    case FileKind::kJsonl:
      for (formats::JsonlReader reader(path); reader.next();)
        answers.push_back({answer_of(reader), reader.line_number(), puzzle_of(reader)});
      break;
    case FileKind::kDimacs:
      throw Error(fmt::format("{} is a DIMACS formula, not answers", shown_path(path)),
                  "what a solver prints: s and v lines");
    case FileKind::kSolverAnswer: {
      const std::string text = read_input(path);
      formats::read_solver_answer(text, path);  // for its complaints
      answers.push_back({with_location(path, 0, [&] { return task.normalize_answer(text); }), 0});
      break;
    }
    case FileKind::kEmpty:  // blank lines are empty answers
    case FileKind::kLines: {
      if (auto found = answers_in_csv(path)) return *std::move(found);
      if (task.abilities().sudoku_files && is_sudoku_csv(path)) {
        formats::for_each_sudoku(path, [&](formats::SudokuRecord&& record, std::size_t line) {
          answers.push_back(
              with_location(path, line, [&] { return answer_of(std::move(record), line); }));
        });
        break;
      }
      LineReader lines(path);
      for (std::string_view line; lines.next(line);)
        answers.push_back({std::string(trim(line)), lines.line_number()});
    }
  }
  return answers;
}

}  // namespace mgdm::data
