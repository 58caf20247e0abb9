#include "tasks/sudoku/generate.h"

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

// The paper's counts of givens, in thousandths: its first 200 test puzzles have 1, 16, 55, 95, 33
// with 31..35; the whole set reaches 36 and has a mean of 33.8.
int draw_givens(Stream& random) {
  constexpr std::array<std::uint32_t, 6> kThousandths = {5, 70, 270, 455, 180, 20};
  static_assert(std::accumulate(kThousandths.begin(), kThousandths.end(), 0u) == 1000);
  std::uint32_t draw = random.below(1000);
  int givens = 31;
  for (const std::uint32_t weight : kThousandths) {
    if (draw < weight) break;
    draw -= weight;
    ++givens;
  }
  return givens;
}

// The givens around a blank cell leave it one digit.
bool is_naked_single(const Grid& puzzle, std::size_t cell) {
  unsigned seen = 0;
  for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)})
    for (const std::uint8_t other : kUnits[unit]) seen |= 1u << puzzle[other];
  return std::popcount(seen & 0x3FEu) == 8;
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

Grid easy_puzzle(const Grid& solution, Stream& random) {
  // Greedy digging gets below 31 with hardly an exception; else it is tried again.
  while (true) {
    const int wanted = draw_givens(random);
    Grid puzzle = solution;
    int givens = static_cast<int>(kCells);
    for (const std::uint8_t cell : shuffled<kCells>(0, random)) {
      if (givens == wanted) return puzzle;
      puzzle[cell] = 0;
      // The first question is a shortcut: its yes implies that of the second.
      if (is_naked_single(puzzle, cell) || falls_to(puzzle, Rules::kNakedSingles))
        --givens;
      else
        puzzle[cell] = solution[cell];
    }
    if (givens == wanted) return puzzle;
  }
}

Grid minimal_puzzle(const Grid& solution, Stream& random) {
  // One pass is enough: a given that is needed now is needed all the more when others have gone.
  Grid puzzle = solution;
  for (const std::uint8_t cell : shuffled<kCells>(0, random)) {
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
