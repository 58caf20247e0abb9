#include "tasks/sudoku/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace mgdm::tasks::sudoku {
namespace {

bool is_digit(char c) { return c >= '1' && c <= '9'; }
bool is_blank(char c) { return c == '0' || c == '.'; }

// A digit that stands several times in a unit; `unit` as in kUnits.
Fault clash(std::size_t unit, char digit, const std::vector<std::size_t>& cells) {
  constexpr std::array<const char*, 3> kKinds = {"row", "column", "box"};
  const std::size_t kind = unit / 9;
  const int where = static_cast<int>(unit % 9) + 1;
  std::vector<std::string> places;
  for (const std::size_t cell : cells)
    places.push_back(kind == 0   ? fmt::format("{}", column_of(cell) + 1)
                     : kind == 1 ? fmt::format("{}", row_of(cell) + 1)
                                 : cell_name(cell));
  constexpr std::array<const char*, 3> kPlaces = {"columns ", "rows ", ""};
  const std::string times = cells.size() == 2 ? "twice" : fmt::format("{} times", cells.size());
  return {fmt::format("{} clash", kKinds[kind]), where,
          fmt::format("{} {} has {} {} ({}{})", kKinds[kind], where, digit, times, kPlaces[kind],
                      joined_and(places))};
}

// The faults of 81 characters: every digit that occurs more than once in a row, column or box.
std::vector<Fault> clashes(std::string_view grid) {
  std::vector<Fault> found;
  for (std::size_t unit = 0; unit < kUnits.size(); ++unit)
    for (char digit = '1'; digit <= '9'; ++digit) {
      std::vector<std::size_t> cells;
      for (const std::uint8_t cell : kUnits[unit])
        if (grid[cell] == digit) cells.push_back(cell);
      if (cells.size() > 1) found.push_back(clash(unit, digit, cells));
    }
  return found;
}

}  // namespace

bool is_solution(const Grid& puzzle, std::string_view answer) {
  if (answer.size() != kCells) return false;
  std::array<unsigned, 9> rows{}, columns{}, boxes{};
  unsigned changed = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const char c = answer[cell];
    if (!is_digit(c)) return false;
    const auto digit = static_cast<unsigned>(c - '0');
    changed |= puzzle[cell] * (puzzle[cell] ^ digit);  // 0 when blank or equal; no branch
    const unsigned bit = 1u << digit;
    rows[kRow[cell]] |= bit;
    columns[kColumn[cell]] |= bit;
    boxes[kBox[cell]] |= bit;
  }
  // Nine cells that hold all nine digits hold none twice.
  unsigned everywhere = ~0u;
  for (std::size_t i = 0; i < 9; ++i) everywhere &= rows[i] & columns[i] & boxes[i];
  return changed == 0 && everywhere == 0x3FE;
}

Verdict verify(const Grid& puzzle, std::string_view solution, std::string_view answer) {
  const bool correct = is_solution(puzzle, answer);
  return {correct, solution.empty() ? correct : answer == solution};
}

std::vector<Fault> explain(const Grid& puzzle, std::string_view answer) {
  if (answer.size() != kCells)
    return {{"wrong length", 0,
             fmt::format("the answer has {} characters, a grid has {}", answer.size(), kCells)}};

  std::vector<Fault> faults;
  const auto each_cell = [&](auto&& look) {
    for (std::size_t cell = 0; cell < kCells; ++cell)
      look(answer[cell], cell, static_cast<int>(cell) + 1);
  };
  each_cell([&](char c, std::size_t cell, int where) {
    if (!is_digit(c) && !is_blank(c))
      faults.push_back({"not a digit", where,
                        fmt::format("{} holds {}, not a digit 1-9", cell_name(cell),
                                    in_quotes(std::string_view(&c, 1)))});
  });
  each_cell([&](char c, std::size_t cell, int where) {
    if (is_blank(c))
      faults.push_back({"blank cell", where, fmt::format("{} is left blank", cell_name(cell))});
  });
  each_cell([&](char c, std::size_t cell, int where) {
    if (is_digit(c) && puzzle[cell] != 0 && c != '0' + puzzle[cell])
      faults.push_back(
          {"given changed", where,
           fmt::format("{} is given as {}, the answer has {}", cell_name(cell), puzzle[cell], c)});
  });
  for (Fault& fault : clashes(answer)) faults.push_back(std::move(fault));
  return faults;
}

std::optional<Fault> clash_of_givens(const Grid& puzzle) {
  const std::vector<Fault> found = clashes(render(puzzle));
  if (found.empty()) return std::nullopt;
  return Fault{"givens clash", found.front().where, "the givens clash: " + found.front().words};
}

}  // namespace mgdm::tasks::sudoku
