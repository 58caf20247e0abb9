// Answers: the literals that are true.
//
//   1,c,3,4,5,6,h                     the paper's notation: n literals in the order of the
//   variables 1,-2,3   1 -2 3   v 1 -2 3 0      integers, for formulas of any size
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/sat/formula.h"

namespace mgdm::tasks::sat {

// The literals in the order of the text. An Error when a piece is no literal; what the literals say
// together (a variable missing, one named twice) is for the judge.
std::vector<int> parse_answer(std::string_view text, const Notation& notation);

// Integers separated by commas or white space, a closing 0 allowed, or the output of a solver.
std::vector<int> parse_answer(std::string_view text);

// Whether the answer is the output of a solver that found no solution: "s UNSATISFIABLE".
bool claims_unsatisfiable(std::string_view text);

std::string render_answer(std::span<const int> literals, const Notation& notation);
std::string render_answer(std::span<const int> literals);

// Values of variables. Memory grows with the number of literals, not with the largest variable.
class Assignment {
 public:
  // Where a variable is named more than once, its first literal counts.
  explicit Assignment(std::span<const int> literals);

  // 1 true, -1 false, 0 without a value.
  int value(int variable) const;

  // Whether a literal of the clause is true.
  bool satisfies(std::span<const int> clause) const;
  bool satisfies(const Formula& formula) const;

  // The variables named more than once, ascending.
  const std::vector<int>& repeated() const { return repeated_; }

 private:
  std::vector<int> literals_;  // by variable
  std::vector<int> repeated_;
};

}  // namespace mgdm::tasks::sat
