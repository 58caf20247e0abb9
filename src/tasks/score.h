// Accuracy by both metrics, counts of faults, and accuracy by the difficulty of puzzles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.h"

namespace mgdm::tasks {

// Judges an answer as a model writes it, special tokens included, by the two metrics.
//
// The strict metric reads the answer up to the first [EOS] and takes any other special token in it
// as an error. The released code drops special tokens wherever they stand and reads the rest.

// The text up to the first [EOS].
std::string_view up_to_end(std::string_view answer);

// The text without [PAD], [SEP], [MASK], [EOS], [UNK].
std::string without_special_tokens(std::string_view answer);

Verdict judge(const Task& task, const Example& example, std::string_view answer);

// The result by the strict metric, with the faults of a wrong answer.
struct Check {
  enum class Result { kRight, kWrong, kNotChecked };
  Result result = Result::kNotChecked;
  std::vector<Fault> faults = {};  // of a wrong answer, the decisive fault first

  bool right() const { return result == Result::kRight; }
  bool wrong() const { return result == Result::kWrong; }
};
Check check(const Task& task, const Example& example, std::string_view answer);

// "right", "wrong" or "not checked".
std::string_view name_of(Check::Result result);

struct Tally {
  std::size_t n = 0, correct = 0;
  std::size_t n_paper = 0, correct_paper = 0;  // n_paper: those that the paper's metric applies to

  void add(const Verdict& verdict);
  void add(const Tally& other);
  double accuracy() const { return share(correct, n); }
  // None where the metric applies to no answer.
  std::optional<double> accuracy_paper() const;
  // Standard errors of the two: sqrt(p (1-p) / n).
  double standard_error() const { return standard_error_of(accuracy(), n); }
  std::optional<double> standard_error_paper() const;

 private:
  static double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
  static double standard_error_of(double fraction, std::size_t n);
};

// The number of wrong answers with a category of fault: in all, by its first place, by every place.
struct ErrorCount {
  std::size_t answers = 0;
  std::map<int, std::size_t> by_place, at_place;
};

// The lower end of a puzzle's group by number of guesses: 0, 1-4, 5-19, 20-49, 50+. "Many
// solutions" and "no solution" are groups of their own (Graded::guesses).
std::uint64_t first_of_guesses(std::uint64_t guesses);
std::string name_of_guesses(std::uint64_t first);

struct Score {
  Tally all;
  std::size_t not_checked = 0;               // answers that nothing can judge: they are in no tally
  std::map<std::string, ErrorCount> errors;  // an answer can show several categories
  std::map<int, Tally> by_planning_distance;  // of tasks with abilities().lookahead
  std::map<std::uint64_t, Tally> by_guesses;  // with abilities().graded; by first_of_guesses()

  // Judges one answer, special tokens included (see judge()).
  void add(const Task& task, const Example& example, std::string_view answer);
  void add(const Score& other);
};

}  // namespace mgdm::tasks
