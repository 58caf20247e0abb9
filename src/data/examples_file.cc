#include "data/examples_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/dimacs.h"
#include "formats/jsonl.h"
#include "formats/sudoku_text.h"

namespace mgdm::data {
namespace {

enum class Kind { kEmpty, kJsonl, kSudokuCsv, kDimacs, kSolverAnswer, kLines };

// What a file holds, by its first line that is not blank. Formulas and solvers' answers may both
// begin with comments: they are told apart by what follows.
Kind kind_of(const std::string& path) {
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
    if (word == "s" || word == "v") return Kind::kSolverAnswer;
    if (comments || word == "p") return Kind::kDimacs;
    if (line.starts_with('{')) return Kind::kJsonl;
    if (line.starts_with(formats::kSudokuCsvHeader)) return Kind::kSudokuCsv;
    return Kind::kLines;
  }
  return comments ? Kind::kDimacs : Kind::kEmpty;
}

// An example whose input the task has checked; a complaint names the line.
LocatedExample located(const std::string& path, std::size_t line, const tasks::Task& task,
                       std::string_view input, std::string output) {
  return with_location(path, line, [&] {
    return LocatedExample{{task.normalize_input(input), std::move(output)}, line};
  });
}

}  // namespace

std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task) {
  std::vector<LocatedExample> examples;
  const auto add = [&](std::size_t line, std::string_view input, std::string output) {
    examples.push_back(located(path, line, task, input, std::move(output)));
  };
  switch (kind_of(path)) {
    case Kind::kEmpty:
      break;
    case Kind::kJsonl:
      for (formats::JsonlReader reader(path); reader.next();)
        add(reader.line_number(), reader.required_text("input"),
            reader.text("output").value_or(""));
      break;
    case Kind::kSudokuCsv:
      formats::for_each_sudoku_csv(path, [&](formats::SudokuRecord&& record, std::size_t line) {
        add(line, record.puzzle, record.solution.value_or(""));
      });
      break;
    case Kind::kDimacs:
      formats::read_dimacs(read_file(path), path);  // for its complaints, which name the line
      add(0, read_file(path), "");
      break;
    case Kind::kSolverAnswer:
      throw Error(fmt::format("{} is a solver's answer, not a puzzle", path), "a DIMACS formula");
    case Kind::kLines: {
      if (task.abilities().sudoku_files) {
        formats::for_each_sudoku_line(path, [&](formats::SudokuRecord&& record, std::size_t line) {
          add(line, record.puzzle, "");
        });
        break;
      }
      LineReader lines(path);
      for (std::string_view line; lines.next(line);)
        if (!trim(line).empty()) add(lines.line_number(), line, "");
    }
  }
  if (examples.empty()) throw Error(fmt::format("there is no puzzle in {}", path));
  return examples;
}

std::vector<LocatedAnswer> read_answers(const std::string& path) {
  std::vector<LocatedAnswer> answers;
  if (kind_of(path) == Kind::kSolverAnswer) {
    const std::string text = read_file(path);
    formats::read_solver_answer(text, path);  // for its complaints
    answers.push_back({text, 0});
    return answers;
  }
  for (formats::JsonlReader reader(path); reader.next();) {
    auto answer = reader.text("predict");
    answers.push_back(
        {answer ? *std::move(answer) : reader.required_text("output"), reader.line_number()});
  }
  return answers;
}

}  // namespace mgdm::data
