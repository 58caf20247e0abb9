// The symmetries of Sudoku: what can be done to any puzzle and its solution together without making
// it another puzzle. They multiply training data, and keep test puzzles' copies out of it.
//
//   Symmetry symmetry = random_symmetry(random);
//   symmetry.apply(puzzle), symmetry.apply(solution);
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/random.h"
#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

// First the transposition, if any; then row r of the result is row rows[r] of what there was,
// column c is column columns[c], and a digit d becomes digits[d]. Both permutations keep bands
// (stacks) together; digits[0] = 0, a blank stays one.
struct Symmetry {
  bool transpose = false;
  std::array<std::uint8_t, 9> rows{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint8_t, 9> columns{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint8_t, 10> digits{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

  Grid apply(const Grid& grid) const;
  std::array<std::size_t, kCells> places() const;  // where each cell of a grid goes
  Symmetry inverse() const;
  bool operator==(const Symmetry&) const = default;
};

// Uniform over all 2 * 6^8 * 9! of them.
Symmetry random_symmetry(Stream& random);

// A form of a solved grid that every symmetry leaves alone: puzzles go to train or test by its
// hash, so a puzzle and its copies never part. Unlike a true canonical form (the least of millions
// of copies) it costs less than a microsecond; that some unrelated grids share it does no harm.
//
// Two rows of a band define a permutation of the digits, taking each digit of one row to the one
// below it in the other. Relabelling conjugates it and swapping the rows inverts it, both of which
// keep its cycle lengths; column order does not enter. So: the three cycle types of each band,
// sorted; the bands sorted; likewise for stacks; both sorted, for the transposition.
std::string invariant(const Grid& solution);

}  // namespace mgdm::tasks::sudoku
