#include "tasks/sudoku/hard_walk.h"

#include <cmath>
#include <optional>

#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/solver.h"

namespace mgdm::tasks::sudoku {
namespace {

constexpr double kTemperature = 0.06;  // of the logarithm of guesses
constexpr double kOtherSolution = 0.3;
// New forms now and then, lest the walk finds puzzles that are hard in these forms alone.
constexpr int kStepsWithTheseForms = 500;

// A solution of the puzzle other than `known`.
std::optional<Grid> other_solution(const Grid& puzzle, const Grid& known) {
  std::optional<Grid> other;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), Rules::kSingles, branches, [&](const Grid& solution) {
    if (solution == known) return true;
    other = solution;
    return false;
  });
  return other;
}

// One of the cells that `wanted` likes, which must like some.
template <class Wanted>
std::size_t random_cell(Stream& random, Wanted&& wanted) {
  while (true)
    if (const std::size_t cell = random.below(kCells); wanted(cell)) return cell;
}

}  // namespace

HardWalk::HardWalk(Stream random) : random_(random) {
  solution_ = random_solution(random_);
  puzzle_ = minimal_puzzle(solution_, random_);
  look_anew();
}

void HardWalk::look_anew() {
  for (Symmetry& form : forms_) form = random_symmetry(random_);
  log_guesses_ = log_guesses(puzzle_, /*give_up_below=*/0);
  steps_ = 0;
}

double HardWalk::log_guesses(const Grid& puzzle, double give_up_below) const {
  double sum = 0;
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    if ((i == 2 || i == 4) && sum / static_cast<double>(i) < give_up_below) return 0;
    sum += std::log1p(static_cast<double>(grade(forms_[i].apply(puzzle)).guesses));
  }
  return sum / static_cast<double>(forms_.size());
}

HardWalk::Found HardWalk::step() {
  constexpr double kMuchEasier = 3;  // 20 times fewer guesses
  if (++steps_ > kStepsWithTheseForms) look_anew();
  Found found{puzzle_, solution_, 0};
  for (int out = random_.between(1, 2); out > 0; --out)
    found.puzzle[random_cell(random_, [&](std::size_t cell) { return found.puzzle[cell] != 0; })] =
        0;
  if (random_.uniform() < kOtherSolution) found.solution = random_completion(found.puzzle, random_);
  while (const auto other = other_solution(found.puzzle, found.solution)) {
    const std::size_t cell = random_cell(
        random_, [&](std::size_t each) { return (*other)[each] != found.solution[each]; });
    found.puzzle[cell] = found.solution[cell];
  }
  found.puzzle = minimal_puzzle(found.puzzle, found.solution, random_);
  if (found.puzzle == puzzle_) return found;
  const double lowest = log_guesses_ + kTemperature * std::log(random_.uniform() + 1e-9);
  const double log_found = log_guesses(found.puzzle, lowest - kMuchEasier);
  if (log_found >= lowest) {
    puzzle_ = found.puzzle;
    solution_ = found.solution;
    log_guesses_ = log_found;
  }
  found.guesses = std::expm1(log_found);
  return found;
}

}  // namespace mgdm::tasks::sudoku
