// Finds the puzzle of a record, and its answer, by name or by shape.
#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "formats/records.h"
#include "formats/sudoku_cells.h"

namespace mgdm::formats {
namespace {

// How people call the numbers and the target of a Countdown.
constexpr std::string_view kNumbers[] = {"num", "number", "input", "puzzle", "card"};
constexpr std::string_view kTargets[] = {"target", "goal"};

const Field* of_any_name(const Record& record, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const Field* const found = record.named(name); found && found->is_text) return found;
  return nullptr;
}

// "[4, 5, 6, 10]" with a target beside it.
bool is_number_list(std::string_view text) {
  return text.find_first_not_of("0123456789, ;[]\n") == std::string_view::npos;
}

// A puzzle and its answer among fields by their names.
struct Named {
  const Field *puzzle = nullptr, *answer = nullptr;
};

Named by_name(const Record& record, const Keys& keys) {
  Named found;
  for (const auto& [puzzle, answer] : keys) {
    const Field* const one = record.named(puzzle);
    if (one == nullptr || (found.puzzle != nullptr && one != found.puzzle)) continue;
    found.puzzle = one;
    if ((found.answer = record.named(answer)) != nullptr) break;
  }
  return found;
}

Puzzle text_puzzle(const Named& named) {
  const auto all = [](const Field& field) {
    return field.items.empty() ? std::vector{field.text} : field.items;
  };
  Puzzle found{joined_by(all(*named.puzzle), "\n"), ""};
  if (named.answer == nullptr) return found;
  std::vector<std::string> answers = all(*named.answer);
  if (!named.puzzle->items.empty() && !named.answer->items.empty()) {
    found.answer = joined_by(answers, "\n");
  } else {
    found.answer = std::move(answers.front());
    found.also.assign(answers.begin() + 1, answers.end());
  }
  return found;
}

}  // namespace

const Field* Record::named(std::string_view name) const {
  for (const Field& field : fields)
    if (same_name(field.name, name)) return &field;
  return nullptr;
}

std::optional<Puzzle> puzzle_of(const Record& record, const Rules& rules) {
  if (record.fields.size() == 1 && record.fields[0].name.empty()) {
    const Field& only = record.fields[0];
    if (rules.lines == Rules::Lines::kText) return Puzzle{only.text, ""};
    if (const auto sudoku = sudoku_in_line(only.text))
      return Puzzle{sudoku->puzzle, sudoku->solution.value_or("")};
    return Puzzle{only.text, ""};
  }
  const Named named = by_name(record, rules.keys);
  if (named.puzzle != nullptr && !named.puzzle->is_text) return std::nullopt;
  if (rules.lines == Rules::Lines::kText) {
    if (named.puzzle == nullptr || (named.answer != nullptr && !named.answer->is_text))
      return std::nullopt;
    return text_puzzle(named);
  }
  const Field* const target = of_any_name(record, kTargets);
  const Field* const numbers =
      named.puzzle != nullptr ? named.puzzle : of_any_name(record, kNumbers);
  if (target != nullptr && target != numbers && numbers != nullptr &&
      is_number_list(numbers->text)) {
    const Field* const solution = record.named("solution");
    const Field* const answer = named.answer != nullptr ? named.answer : solution;
    Puzzle found{
        numbers->text + " -> " + target->text, "", {}, numbers->name + " and " + target->name};
    if (answer != nullptr && answer->is_text) {
      found.answer = answer->items.empty() ? answer->text : joined_by(answer->items, ",");
      found.answer_name = answer->name;
    }
    return found;
  }
  Puzzle found;
  if (named.puzzle != nullptr) {
    found.puzzle = named.puzzle->text;
    found.puzzle_name = named.puzzle->name;
    if (named.answer != nullptr && named.answer->is_text) {
      found.answer = named.answer->text;
      found.answer_name = named.answer->name;
    }
    // The public list of Game of 24 has its numbers in such a column.
    if (record.form == Record::Form::kTable && lowered(found.puzzle_name) == "puzzles" &&
        is_number_list(found.puzzle) && split(found.puzzle, ' ').size() == 4)
      found.puzzle += " -> 24";
    return found;
  }
  // By their shape: Sudokus with and without blanks.
  for (const Field& field : record.fields) {
    if (!field.is_text || field.text.size() < kSudokuCells) continue;
    const auto cells = find_sudoku(field.text);
    if (!cells) continue;
    const bool solved = cells->find('0') == std::string::npos;
    if (solved ? found.answer.empty() : found.puzzle.empty())
      (solved ? found.answer : found.puzzle) = *cells;
  }
  if (found.puzzle.empty()) std::swap(found.puzzle, found.answer);
  if (found.puzzle.empty()) return std::nullopt;
  return found;
}

}  // namespace mgdm::formats
