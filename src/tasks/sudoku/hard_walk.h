// A random walk among minimal puzzles, towards those that take many guesses.
//
// Random puzzles are seldom as hard as those of the public lists of hardest Sudokus, which were
// found beside other hard ones. A step of the walk takes one or two givens out, sometimes moves on
// to another solution of what is left, and makes the puzzle minimal for its solution again. The
// walk goes there if the new puzzle is as hard, or else with a probability that falls with the
// difference (Metropolis).
//
//   HardWalk walk(Stream(seed, Purpose::kGenerate, item));
//   for (HardWalk::Found found = walk.step(); found.guesses < 50; found = walk.step()) {}
#pragma once

#include <array>

#include "base/random.h"
#include "tasks/sudoku/grid.h"
#include "tasks/sudoku/symmetry.h"

namespace mgdm::tasks::sudoku {

class HardWalk {
 public:
  explicit HardWalk(Stream random);

  struct Found {
    Grid puzzle, solution;
    // Geometric mean of the guesses (solver.h) of several symmetric forms: how many one form takes
    // depends on the order of its cells and digits. 0 for a puzzle that is far easier than the
    // last.
    double guesses;
  };

  // The next puzzle that the walk looks at, whether or not it goes there.
  Found step();

 private:
  void look_anew();
  double log_guesses(const Grid& puzzle, double give_up_below) const;

  Stream random_;
  std::array<Symmetry, 8> forms_;
  Grid puzzle_, solution_;
  double log_guesses_ = 0;  // of puzzle_
  int steps_ = 0;           // with these forms
};

}  // namespace mgdm::tasks::sudoku
