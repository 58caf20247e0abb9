#include "data/answers_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "data/examples_file.h"
#include "formats/dimacs.h"
#include "formats/records.h"
#include "formats/sudoku_cells.h"

namespace mgdm::data {
namespace {

using formats::Field;
using formats::Record;

// "predict" stands beside a label that may have any of the other names. Of those without it one
// may be the label of another: which of them is the answer cannot be known.
const Field* the_answer(const Record& record) {
  const Field* found = record.named("predict");
  if (found != nullptr) return found;
  for (const auto& [puzzle, name] : formats::kKnownKeys) {
    const Field* const other = record.named(name);
    if (other == nullptr || !other->is_text) continue;
    if (found != nullptr && found->text != other->text)
      throw Error(fmt::format("both '{}' and '{}' may be the answer", found->name, other->name),
                  "one of them, or the answer in 'predict'");
    found = other;
  }
  return found;
}

std::string text_of(const Field& field, const tasks::Abilities& can) {
  const bool steps = !field.items.empty() && !can.sudoku_files && !can.any_text;
  std::string text = steps ? joined_by(field.items, ",") : field.text;
  if (can.sudoku_files && text.size() > formats::kSudokuCells)  // a grid
    if (auto cells = formats::find_sudoku(text)) return *std::move(cells);
  return text;
}

// The solution beside a Sudoku. Where there is but one column of grids, these, if they are filled
// in.
LocatedAnswer solution_of(const formats::SudokuRecord& record, std::size_t line) {
  if (record.solution) return {*record.solution, line, record.puzzle};
  if (record.puzzle.find('0') != std::string::npos)
    throw Error("no column has the answer", "one named predict, output, solution or answer");
  return {record.puzzle, line};
}

LocatedAnswer answer_of(const Record& record, const tasks::Abilities& can) {
  const std::string& first = record.fields.empty() ? "" : record.fields[0].text;
  if (record.fields.size() == 1 && record.fields[0].name.empty()) {
    if (can.sudoku_files && first.find_first_of(",;\t ") != std::string::npos)
      if (const auto sudoku = formats::sudoku_in_line(first))
        return solution_of(*sudoku, record.line);
    return {first, record.line};
  }
  LocatedAnswer found{"", record.line};
  for (const auto& [name, answer] : formats::kKnownKeys)
    if (const Field* const puzzle = record.named(name); puzzle != nullptr && found.input.empty())
      found.input = puzzle->text;
  if (const Field* const answer = the_answer(record)) {
    found.answer = text_of(*answer, can);
  } else if (record.named("error") == nullptr) {  // a puzzle that `solve` could not read
    std::vector<std::string_view> names{"predict"};
    for (const auto& [puzzle, name] : formats::kKnownKeys)
      if (name != names.back()) names.push_back(name);
    throw Error("the line has none of these members: " + joined_by(names, ", "),
                "a string in each line");
  }
  return found;
}

}  // namespace

std::vector<LocatedAnswer> read_answers(const std::string& path, const tasks::Task& task,
                                        const OnBadLine& on_bad) {
  std::vector<LocatedAnswer> answers;
  OnBadLine bad;
  if (on_bad)
    bad = [&](const Error& error) {
      on_bad(error);
      answers.emplace_back();
    };
  for (const std::string& file : files_of(path)) {
    const auto add = [&](std::size_t line, const auto& read) {
      auto answer = unless_bad(bad, [&] { return with_location(file, line, read); });
      if (answer) answers.push_back(*std::move(answer));
    };
    switch (file_kind(file)) {
      case FileKind::kDimacs:
        throw Error(fmt::format("{} is a DIMACS formula, not answers", shown_path(file)),
                    "what a solver prints: s and v lines");
      case FileKind::kSolverAnswer: {
        const std::string text = read_input(file);
        formats::read_solver_answer(text, file);  // for its complaints
        add(0, [&] { return LocatedAnswer{task.normalize_answer(text)}; });
        break;
      }
      case FileKind::kRecords:
        formats::for_each_record(
            file, {formats::Rules::Lines::kAnswers},
            [&](const Record& record) {
              add(record.line, [&] { return answer_of(record, task.abilities()); });
            },
            bad);
    }
  }
  return answers;
}

}  // namespace mgdm::data
