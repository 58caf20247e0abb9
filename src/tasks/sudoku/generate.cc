#include "tasks/sudoku/generate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "base/error.h"
#include "tasks/sudoku/candidates.h"
#include "tasks/sudoku/solver.h"

namespace mgdm::tasks::sudoku {
namespace {

// The search of solver.h, with the digits of every branch in random order.
bool fill(Candidates state, Stream& random, Grid& solution) {
  if (!state.propagate(Rules::kSingles)) return false;
  if (state.complete()) {
    solution = state.placed();
    return true;
  }
  Candidates::Branch branch = state.branch();
  const auto digits = std::span(branch.digits).first(branch.count);
  random.shuffle(digits);
  for (const std::uint8_t digit : digits) {
    Candidates next = state;
    next.place(branch.cell, digit);
    if (fill(next, random, solution)) return true;
  }
  return false;
}

// The N numbers from `first`, in random order.
template <std::size_t N>
std::array<std::uint8_t, N> shuffled(std::uint8_t first, Stream& random) {
  std::array<std::uint8_t, N> numbers;
  std::iota(numbers.begin(), numbers.end(), first);
  random.shuffle(std::span<std::uint8_t>(numbers));
  return numbers;
}

// The givens around a blank cell leave it one digit.
bool is_naked_single(const Grid& puzzle, std::size_t cell) {
  unsigned seen = 0;
  for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)})
    for (const std::uint8_t other : kUnits[unit]) seen |= 1u << puzzle[other];
  return std::popcount(seen & 0x3FEu) == 8;
}

// Whether `digit` could stand in `place`, were `cell` blank.
bool fits(const Grid& puzzle, std::size_t place, std::uint8_t digit, std::size_t cell) {
  for (const std::size_t unit : {row_of(place), 9 + column_of(place), 18 + box_of(place)})
    for (const std::uint8_t other : kUnits[unit])
      if (other != cell && puzzle[other] == digit) return false;
  return true;
}

// Whether a row, column or box of the given cell has no other place for its digit.
bool is_hidden_single(const Grid& puzzle, std::size_t cell) {
  return std::ranges::any_of(
      std::array{row_of(cell), 9 + column_of(cell), 18 + box_of(cell)}, [&](std::size_t unit) {
        return std::ranges::none_of(kUnits[unit], [&](std::uint8_t place) {
          return place != cell && puzzle[place] == 0 && fits(puzzle, place, puzzle[cell], cell);
        });
      });
}

}  // namespace

Grid random_solution(Stream& random) {
  // The three boxes on the diagonal do not see each other: any digits will do.
  Candidates state;
  for (const std::size_t box : {0u, 4u, 8u}) {
    const auto digits = shuffled<9>(1, random);
    for (std::size_t i = 0; i < 9; ++i) state.place(kUnits[18 + box][i], digits[i]);
  }
  Grid solution;
  MGDM_CHECK(fill(state, random, solution));
  return solution;
}

Grid random_completion(const Grid& puzzle, Stream& random) {
  Grid solution;
  MGDM_CHECK(fill(Candidates(puzzle), random, solution));
  return solution;
}

Grid easy_puzzle(const Grid& solution, Stream& random) {
  constexpr int kTries = 6;
  Grid best = solution;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Grid puzzle = solution;
    for (const std::uint8_t cell : shuffled<kCells>(0, random))
      if (is_hidden_single(puzzle, cell)) puzzle[cell] = 0;
    if (count_givens(puzzle) < count_givens(best)) best = puzzle;
  }
  return best;
}

Grid minimal_puzzle(const Grid& givens, const Grid& solution, Stream& random) {
  // One pass is enough: a given that is needed now is needed all the more when others have gone.
  Grid puzzle = givens;
  for (const std::uint8_t cell : shuffled<kCells>(0, random)) {
    if (puzzle[cell] == 0) continue;
    puzzle[cell] = 0;
    if (is_naked_single(puzzle, cell)) continue;
    // Still unique when no solution has another digit here.
    Candidates state(puzzle);
    state.remove(cell, solution[cell]);
    if (solvable(state)) puzzle[cell] = solution[cell];
  }
  return puzzle;
}

}  // namespace mgdm::tasks::sudoku
