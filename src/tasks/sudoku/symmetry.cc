#include "tasks/sudoku/symmetry.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"

namespace mgdm::tasks::sudoku {
namespace {

using Lines = std::array<std::uint8_t, 9>;

// Nine lines permuted within their groups of three, and the groups too.
Lines random_lines(Stream& random) {
  std::array<std::uint8_t, 3> groups{0, 1, 2};
  random.shuffle(std::span<std::uint8_t>(groups));
  Lines lines;
  for (std::size_t i = 0; i < 9; ++i)
    lines[i] = static_cast<std::uint8_t>(3 * groups[i / 3] + i % 3);
  for (std::size_t i = 0; i < 9; i += 3)
    random.shuffle(std::span<std::uint8_t>(lines).subspan(i, 3));
  return lines;
}

template <std::size_t N>
std::array<std::uint8_t, N> inverted(const std::array<std::uint8_t, N>& permutation) {
  std::array<std::uint8_t, N> result{};
  for (std::size_t i = 0; i < N; ++i) result[permutation[i]] = static_cast<std::uint8_t>(i);
  return result;
}

// The cell that comes to row r, column c.
std::size_t source(const Symmetry& symmetry, std::size_t r, std::size_t c) {
  const std::size_t row = symmetry.rows[r], column = symmetry.columns[c];
  return symmetry.transpose ? 9 * column + row : 9 * row + column;
}

// A letter for the cycle lengths of a permutation of the digits that moves every one of them: there
// are eight ways to write 9 as a sum of parts above 1.
char cycle_type(const std::array<std::uint8_t, 10>& permutation) {
  // 8^(length - 2) summed over the cycles: of no length are there 8.
  constexpr auto power = [](int length) { return std::uint32_t{1} << 3 * (length - 2); };
  constexpr std::array<std::uint32_t, 8> kTypes = {
      power(9),
      power(7) + power(2),
      power(6) + power(3),
      power(5) + power(4),
      power(5) + 2 * power(2),
      power(4) + power(3) + power(2),
      3 * power(3),
      power(3) + 3 * power(2),
  };
  std::uint32_t type = 0;
  unsigned seen = 0;
  for (std::uint8_t digit = 1; digit <= 9; ++digit) {
    int length = 0;
    for (std::uint8_t at = digit; (seen >> at & 1u) == 0; at = permutation[at], ++length)
      seen |= 1u << at;
    if (length >= 2) type += power(length);
  }
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  MGDM_CHECK(found != kTypes.end());
  return static_cast<char>('a' + (found - kTypes.begin()));
}

// The part of the invariant that comes from the rows, or from the columns.
std::string line_form(const Grid& solution, bool columns) {
  const auto digit = [&](std::size_t line, std::size_t i) {
    return solution[columns ? 9 * i + line : 9 * line + i];
  };
  std::array<std::array<char, 3>, 3> groups{};
  for (std::size_t g = 0; g < 3; ++g) {
    for (std::size_t skipped = 0; skipped < 3; ++skipped) {
      const std::size_t a = 3 * g + (skipped + 1) % 3, b = 3 * g + (skipped + 2) % 3;
      std::array<std::uint8_t, 10> permutation{};
      for (std::size_t i = 0; i < 9; ++i) permutation[digit(a, i)] = digit(b, i);
      groups[g][skipped] = cycle_type(permutation);
    }
    std::sort(groups[g].begin(), groups[g].end());
  }
  std::sort(groups.begin(), groups.end());
  std::string form;
  for (const auto& group : groups) form.append(group.data(), group.size());
  return form;
}

}  // namespace

Symmetry random_symmetry(Stream& random) {
  Symmetry symmetry;
  symmetry.transpose = random.below(2) == 1;
  symmetry.rows = random_lines(random);
  symmetry.columns = random_lines(random);
  random.shuffle(std::span<std::uint8_t>(symmetry.digits).subspan(1));
  return symmetry;
}

Grid Symmetry::apply(const Grid& grid) const {
  Grid result;
  for (std::size_t r = 0; r < 9; ++r)
    for (std::size_t c = 0; c < 9; ++c) result[9 * r + c] = digits[grid[source(*this, r, c)]];
  return result;
}

std::array<std::size_t, kCells> Symmetry::places() const {
  std::array<std::size_t, kCells> result{};
  for (std::size_t r = 0; r < 9; ++r)
    for (std::size_t c = 0; c < 9; ++c) result[source(*this, r, c)] = 9 * r + c;
  return result;
}

Symmetry Symmetry::inverse() const {
  Symmetry result{transpose, inverted(rows), inverted(columns), inverted(digits)};
  // Undoing "transpose, then permute" by transposing first swaps the two permutations.
  if (transpose) std::swap(result.rows, result.columns);
  return result;
}

std::string invariant(const Grid& solution) {
  const std::string rows = line_form(solution, false), columns = line_form(solution, true);
  return std::min(rows, columns) + std::max(rows, columns);
}

}  // namespace mgdm::tasks::sudoku
