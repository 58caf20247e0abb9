#include "tasks/sudoku/candidates.h"

#include <bit>

namespace mgdm::tasks::sudoku {
namespace {

using Word = std::uint32_t;  // the 27 cells of a band

constexpr Word kBand = (1u << 27) - 1;
constexpr Word kRowBits = 0x1FF;                     // the 9 cells of a band's first row
constexpr Word kRowLow = 1u | 1u << 9 | 1u << 18;    // the lowest bit of each row
constexpr Word kRowHigh = kRowLow << 8;              // the highest
constexpr Word kTripleLow = 1u | 1u << 3 | 1u << 6;  // the lowest bit of each box in a row

// The 9 columns, repeated in each row of a band.
constexpr Word in_every_row(Word columns) { return columns | columns << 9 | columns << 18; }

// The columns in which some row of a band has a bit, and those in which two rows have one.
constexpr Word any_row(Word x) { return (x | x >> 9 | x >> 18) & kRowBits; }
constexpr Word two_rows(Word x) {
  const Word a = x & kRowBits, b = x >> 9 & kRowBits, c = x >> 18;
  return (a & b) | ((a | b) & c);
}

// Whole rows: those of x that have a bit.
constexpr Word rows_with_bit(Word x) {
  const Word high = (x | ((x & ~kRowHigh) + kRowLow * 0xFF)) & kRowHigh;
  return (high << 1) - (high >> 8);
}

// Whole boxes: those with a bit in `columns`, a 9-bit word.
constexpr Word boxes_with_bit(Word columns) {
  const Word low = (columns | columns >> 1 | columns >> 2) & kTripleLow;
  return in_every_row(low << 3) - in_every_row(low);
}

// Within a band a digit takes every row once and every box once, so the three (row, box) pairs it
// uses are one of six permutations; within a stack likewise with (band, column). As bits: row at
// 9 * row, the other at step * index. Returns the pairs of `x` that are part of a permutation in x.
constexpr Word permutable(Word x, unsigned step) {
  Word kept = 0;
  for (unsigned i = 0; i < 3; ++i)
    for (const unsigned j : {(i + 1) % 3, (i + 2) % 3}) {
      const Word pairs = 1u << step * i | 1u << (9 + step * j) | 1u << (18 + step * (3 - i - j));
      kept |= (x & pairs) == pairs ? pairs : 0;
    }
  return kept;
}

// The 20 cells that may not repeat a cell's digit.
constexpr auto kPeers = [] {
  std::array<std::array<Word, 3>, kCells> peers{};
  for (std::size_t cell = 0; cell < kCells; ++cell)
    for (std::size_t other = 0; other < kCells; ++other)
      if (other != cell && (row_of(other) == row_of(cell) || column_of(other) == column_of(cell) ||
                            box_of(other) == box_of(cell)))
        peers[cell][other / 27] |= 1u << other % 27;
  return peers;
}();

}  // namespace

Candidates::Candidates() {
  for (auto& band : boards_) band.fill(kBand);
  open_.fill(kBand);
}

Candidates::Candidates(const Grid& givens) : Candidates() {
  for (std::size_t cell = 0; cell < kCells; ++cell)
    if (givens[cell] != 0) place(cell, givens[cell]);
}

void Candidates::place(std::size_t cell, int digit) {
  const std::size_t band = cell / 27, d = static_cast<std::size_t>(digit - 1);
  const Word bit = 1u << cell % 27;
  const Word own = boards_[band][d] & bit;
  for (Word& board : boards_[band]) board &= ~bit;
  // The bit is not set anew: where it was gone, the cell is empty now, which is a contradiction.
  boards_[band][d] |= own;
  for (std::size_t b = 0; b < 3; ++b) boards_[b][d] &= ~kPeers[cell][b];
  open_[band] &= ~bit;
}

void Candidates::remove(std::size_t cell, int digit) {
  boards_[cell / 27][static_cast<std::size_t>(digit - 1)] &= ~(1u << cell % 27);
}

// Open cells with one candidate; false when some cell has none.
bool Candidates::find_naked(Boards& found) const {
  Word sound = kBand;
  for (std::size_t b = 0; b < 3; ++b) {
    Word once = 0, twice = 0;
    for (const Word x : boards_[b]) {
      twice |= once & x;
      once |= x;
    }
    sound &= once;
    const Word single = open_[b] & ~twice;
    for (std::size_t d = 0; d < 9; ++d) found[b][d] = boards_[b][d] & single;
  }
  return sound == kBand;
}

// Open cells that are a digit's only place in a unit; false when a digit has no place in one.
// Clearing the lowest bit of every row (or box) with one subtraction needs them all to hold a bit;
// where one does not, the result is false and what was found does not matter.
bool Candidates::find_hidden(Boards& found) const {
  Word rows = kBand, boxes = kBand, columns = kRowBits;
  for (std::size_t d = 0; d < 9; ++d) {
    const Word x[3] = {boards_[0][d], boards_[1][d], boards_[2][d]};
    const Word all = x[0] | x[1] | x[2];
    const Word in_two_bands = (x[0] & x[1]) | ((x[0] | x[1]) & x[2]);
    columns &= any_row(all);
    const Word column_again = in_every_row(any_row(in_two_bands) | two_rows(all));
    for (std::size_t b = 0; b < 3; ++b) {
      const Word any = any_row(x[b]);
      rows &= rows_with_bit(x[b]);
      boxes &= boxes_with_bit(any);
      const Word row_again = rows_with_bit(x[b] & (x[b] - kRowLow));
      const Word box_again = boxes_with_bit(two_rows(x[b]) | (any & (any - kTripleLow)));
      found[b][d] = x[b] & open_[b] & ~(row_again & box_again & column_again);
    }
  }
  return rows == kBand && boxes == kBand && columns == kRowBits;
}

bool Candidates::place_all(const Boards& found) {
  bool any = false;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t d = 0; d < 9; ++d)
      for (Word left = found[b][d]; left != 0; left &= left - 1) {
        place(27 * b + static_cast<std::size_t>(std::countr_zero(left)), static_cast<int>(d) + 1);
        any = true;
      }
  return any;
}

// Locked candidates: true when some candidate went.
bool Candidates::lock() {
  Word gone = 0;
  for (std::size_t d = 0; d < 9; ++d) {
    // Row b of this word: the columns that have a bit in band b.
    const Word columns =
        any_row(boards_[0][d]) | any_row(boards_[1][d]) << 9 | any_row(boards_[2][d]) << 18;
    Word kept_columns = 0;
    for (unsigned stack = 0; stack < 9; stack += 3)
      kept_columns |= permutable(columns >> stack, 1) << stack;
    for (std::size_t b = 0; b < 3; ++b) {
      const Word x = boards_[b][d];
      const Word kept_triples = permutable(x | x >> 1 | x >> 2, 3) * 7;
      boards_[b][d] &= kept_triples & in_every_row(kept_columns >> 9 * b & kRowBits);
      gone |= x ^ boards_[b][d];
    }
  }
  return gone != 0;
}

bool Candidates::propagate(Rules rules) {
  Boards found;
  while (true) {
    if (!find_naked(found)) return false;
    if (place_all(found)) continue;
    if (complete() || rules == Rules::kNakedSingles) return true;
    if (!find_hidden(found)) return false;
    if (place_all(found)) continue;
    if (rules == Rules::kSingles || !lock()) return true;
  }
}

Grid Candidates::placed() const {
  Grid grid{};
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t d = 0; d < 9; ++d)
      for (Word left = boards_[b][d] & ~open_[b]; left != 0; left &= left - 1)
        grid[27 * b + static_cast<std::size_t>(std::countr_zero(left))] =
            static_cast<std::uint8_t>(d + 1);
  return grid;
}

Candidates::Branch Candidates::branch() const {
  // at_least[b][k]: the cells with more than k candidates.
  std::array<std::array<Word, 10>, 3> at_least{};
  for (std::size_t b = 0; b < 3; ++b)
    for (const Word x : boards_[b]) {
      for (std::size_t k = 8; k > 0; --k) at_least[b][k] |= at_least[b][k - 1] & x;
      at_least[b][0] |= x;
    }
  Branch branch;
  for (std::size_t k = 0; k < 9; ++k)
    for (std::size_t b = 0; b < 3; ++b) {
      const Word cells = at_least[b][k] & ~at_least[b][k + 1] & open_[b];
      if (cells == 0) continue;
      const Word bit = cells & (0u - cells);
      branch.cell = 27 * b + static_cast<std::size_t>(std::countr_zero(cells));
      for (std::size_t d = 0; d < 9; ++d)
        if (boards_[b][d] & bit) branch.digits[branch.count++] = static_cast<std::uint8_t>(d + 1);
      return branch;
    }
  return branch;
}

}  // namespace mgdm::tasks::sudoku
