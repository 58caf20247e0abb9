// The symmetries of Sudoku: transformations of a puzzle and its solution that keep both valid. They
// augment training data, and the split keeps variants of test puzzles out of it.
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

// The transposition, if any, comes first. Then row r of the result is the old row rows[r], column c
// the old column columns[c], and a digit d becomes digits[d]. Both permutations keep bands
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

// A form of a solved grid that no symmetry changes. Its hash decides between train and test, so a
// puzzle and its variants are always on the same side. Unlike a true canonical form (the least of
// millions of variants) it costs less than a microsecond; a few unrelated grids share it.
//
// Two rows of a band define a permutation of the digits, taking each digit of one row to the one
// below it in the other. Relabelling conjugates it and swapping the rows inverts it, both of which
// keep its cycle lengths; column order does not enter. So: the three cycle types of each band,
// sorted; the bands sorted; likewise for stacks; both sorted, for the transposition.
std::string invariant(const Grid& solution);

}  // namespace mgdm::tasks::sudoku
