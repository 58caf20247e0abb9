#include "data/examples_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "data/arrays_folder.h"
#include "formats/dimacs.h"

namespace mgdm::data {
namespace {

using formats::Record;

std::string_view format_of(const Record& record) {
  constexpr std::string_view kWords[] = {"JSON", "table", "lines", "grids"};
  return kWords[static_cast<std::size_t>(record.form)];
}

[[noreturn]] void fail_without_puzzle(const Record& record, const formats::Rules& rules) {
  const std::vector<std::string> names = formats::puzzle_names(rules.keys);
  std::string wrong = "the line has none of these members: " + joined_by(names, ", ");
  for (const formats::Field& field : record.fields)
    if (!field.is_text && !field.name.empty())
      wrong = fmt::format("'{}' is {}", field.name, shortened(field.text, 60));
  throw Error(wrong, "a string, or a grid as a list of rows, in each line",
              "--keys PUZZLE=ANSWER for other names");
}

void read_formula(const std::string& file, const UsePuzzle& use, const OnBadLine& on_bad) {
  auto text = unless_bad(on_bad, [&] {
    std::string read = read_input(file);
    formats::read_dimacs(read, file);  // for its complaints, which name the line
    return read;
  });
  if (text) use({file, "DIMACS", 0, {*std::move(text), ""}});
}

void read_records(const std::string& file, const formats::Rules& rules, const UsePuzzle& use,
                  const OnBadLine& on_bad, Reading reading) {
  formats::for_each_record(
      file, rules,
      [&](const Record& record) {
        auto puzzle = unless_bad(on_bad, [&] {
          return with_location(file, record.line, [&] {
            auto found = formats::puzzle_of(record, rules);
            if (!found) fail_without_puzzle(record, rules);
            return *std::move(found);
          });
        });
        if (puzzle) use({file, format_of(record), record.line, *std::move(puzzle)});
      },
      on_bad, reading);
}

}  // namespace

formats::Rules rules_for(const tasks::Task& task, const formats::Keys& keys) {
  using Lines = formats::Rules::Lines;
  const tasks::Abilities can = task.abilities();
  return {can.any_text ? Lines::kText : can.sudoku_files ? Lines::kSudoku : Lines::kOther, keys};
}

void for_each_puzzle(const std::string& path, const formats::Rules& rules, const UsePuzzle& use,
                     const OnBadLine& on_bad, Reading reading) {
  if (is_arrays_folder(path)) return for_each_in_arrays(path, use, on_bad);
  bool any = false;
  const UsePuzzle use_and_count = [&](FoundPuzzle&& found) {
    any = true;
    use(std::move(found));
  };
  OnBadLine bad;
  if (on_bad)
    bad = [&](const Error& error) {
      any = true;
      on_bad(error);
    };
  for (const std::string& file : files_of(path)) {
    const bool text = rules.lines == formats::Rules::Lines::kText;
    const FileKind kind = text ? FileKind::kRecords : file_kind(file);
    if (kind == FileKind::kSolverAnswer)
      throw Error(fmt::format("{} is a solver's answer, not a puzzle", file), "a DIMACS formula");
    if (kind == FileKind::kDimacs)
      read_formula(file, use_and_count, file == path ? OnBadLine() : bad);  // it is all there is
    else
      read_records(file, rules, use_and_count, bad, reading);
  }
  if (!any) throw Error(fmt::format("there is no puzzle in {}", shown_path(path)));
}

void for_each_example(const std::string& path, const tasks::Task& task, const UseExample& use,
                      const OnBadLine& on_bad, const formats::Keys& keys) {
  for_each_puzzle(
      path, rules_for(task, keys),
      [&](FoundPuzzle&& found) {
        auto input = unless_bad(on_bad, [&] {
          return with_location(found.file, found.line,
                               [&] { return task.normalize_input(found.puzzle.puzzle); });
        });
        if (input)
          use({{*std::move(input), std::move(found.puzzle.answer), std::move(found.puzzle.also)},
               found.line});
      },
      on_bad);
}

std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task,
                                          const formats::Keys& keys, const OnBadLine& on_bad) {
  std::vector<LocatedExample> examples;
  for_each_example(
      path, task, [&](LocatedExample&& example) { examples.push_back(std::move(example)); }, on_bad,
      keys);
  return examples;
}

std::vector<std::string> files_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, none))
    if (entry.is_regular_file(none) && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

FileKind file_kind(const std::string& path) {
  constexpr std::size_t kEnough = 4096;  // bytes of a line
  TextWindow window(path);
  bool comments = false;
  while (true) {
    while (window.text().find('\n') == std::string_view::npos && window.text().size() < kEnough &&
           window.more()) {
    }
    const std::string_view line = trim(window.text().substr(0, window.text().find('\n')));
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (!line.empty() && word != "c") {
      if (formats::begins_solver_answer(line)) return FileKind::kSolverAnswer;
      return comments || word == "p" ? FileKind::kDimacs : FileKind::kRecords;
    }
    comments |= word == "c";
    std::string_view passed_over;
    if (!window.next_line(passed_over, 0)) return comments ? FileKind::kDimacs : FileKind::kRecords;
  }
}

}  // namespace mgdm::data
