// Random solved grids, and digits taken out of them.
//
// All draws come from the stream given, so a puzzle is a pure function of its stream.
#pragma once

#include "base/random.h"
#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

// Any solved grid can come up; the distribution is close to uniform, not exactly so.
Grid random_solution(Stream& random);

// As the paper's: 31 to 36 givens, 33.8 on average, and naked singles alone fill the grid (which
// makes the solution unique).
Grid easy_puzzle(const Grid& solution, Stream& random);

// A unique solution that no longer is one when any given goes. Mostly 22 to 27 givens.
Grid minimal_puzzle(const Grid& solution, Stream& random);

}  // namespace mgdm::tasks::sudoku
