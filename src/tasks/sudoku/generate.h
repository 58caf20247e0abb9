// Random solved grids, and digits taken out of them.
//
// All draws come from the stream given, so a puzzle is a pure function of its stream.
#pragma once

#include "base/random.h"
#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

// Any solved grid can come up; the distribution is close to uniform, not exactly so.
Grid random_solution(Stream& random);

// Any solution of a puzzle that has one.
Grid random_completion(const Grid& puzzle, Stream& random);

// As the paper's, which are a slice of a public million. Its generator (github.com/Kyubyong/sudoku)
// takes digits out in random order wherever a row, column or box shows the digit at once, and keeps
// the try with the fewest givens. Of six tries 31 to 36 givens are left, 33.8 on average, as in the
// paper's files. Naked singles alone nearly always fill such a grid; its solution is unique.
Grid easy_puzzle(const Grid& solution, Stream& random);

// Takes givens out in random order until any further one would leave a second solution. `givens`
// must have no other solution than `solution`; from all of a grid's digits, mostly 22 to 27 are
// left.
Grid minimal_puzzle(const Grid& givens, const Grid& solution, Stream& random);
inline Grid minimal_puzzle(const Grid& solution, Stream& random) {
  return minimal_puzzle(solution, solution, random);
}

}  // namespace mgdm::tasks::sudoku
