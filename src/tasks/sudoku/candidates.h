// Which digits each cell may still hold, and the rules that narrow them.
//
// One board of 81 bits per digit, held as three words, one per band of three rows: bit
// 9 * (row in the band) + column. All nine digits (or 27 cells) are worked on by one instruction,
// and the loops over digits vectorise.
//
// A placed digit keeps its bit, so in a sound state no cell, and no digit in any unit, is ever
// without a bit: an empty one is a contradiction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

// Each includes the ones before it.
enum class Rules {
  kNakedSingles,  // a cell with one candidate takes it
  kSingles,       // hidden singles: a digit with one place left in a row, column or box goes there
  kLocked,        // locked candidates: within a band (stack) a digit takes one box per row (column)
};

class Candidates {
 public:
  // Anything may stand anywhere.
  Candidates();
  explicit Candidates(const Grid& givens);

  void place(std::size_t cell, int digit);
  void remove(std::size_t cell, int digit);

  // Applies the rules until none has anything to say. The result does not depend on the order of
  // application, since every rule stays applicable when candidates go. False: no solution.
  bool propagate(Rules rules);

  // Every cell is placed; after a propagate() that returned true this is a solution.
  bool complete() const { return (open_[0] | open_[1] | open_[2]) == 0; }

  // The digits placed so far.
  Grid placed() const;

  // Where to guess: the open cell with the fewest candidates, the lowest index among equals.
  struct Branch {
    std::size_t cell = 0;
    std::array<std::uint8_t, 9> digits{};  // ascending
    std::size_t count = 0;
  };
  Branch branch() const;

 private:
  using Boards = std::array<std::array<std::uint32_t, 9>, 3>;  // (band, digit)

  bool find_naked(Boards& found) const;
  bool find_hidden(Boards& found) const;
  bool place_all(const Boards& found);
  bool lock();

  Boards boards_;
  std::array<std::uint32_t, 3> open_;  // cells without a placed digit
};

}  // namespace mgdm::tasks::sudoku
