// Formulas, and the paper's notation for them: one character per literal.
//
//   c,d,7/2,e,7     (not x2 or not x3 or x7) and (x2 or not x4 or x7), seven variables
//
// A positive literal is the digit of its variable. A negative one is 6 7 8 9 0 for variables 1..5
// when there are five variables, and the letters b..j for variables 1..9 when there are more.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/dimacs.h"

namespace mgdm::tasks::sat {

using Formula = formats::Cnf;

// The order of literals in a clause.
inline bool by_variable(int a, int b) { return std::abs(a) < std::abs(b); }

// The sizes that have a notation, and that can be generated.
inline constexpr int kMinVariables = 5, kMaxVariables = 9;

class Notation {
 public:
  // The notation for formulas of kMinVariables..kMaxVariables variables.
  static const Notation& of(int variables);

  int variables() const { return variables_; }

  char character(int literal) const {
    return literal > 0 ? positive_[static_cast<std::size_t>(literal)]
                       : negative_[static_cast<std::size_t>(-literal)];
  }

  // 0 when the character is no literal.
  int literal(char c) const;

  // The literal as a set with one member: bit v for x_v, bit 16 + v for its negation; empty when
  // the character is no literal. A clause is a union of such sets, and so is an assignment.
  std::uint32_t set(char c) const { return sets_[static_cast<unsigned char>(c)]; }

  // "1..7 or b..h", for messages.
  std::string literals() const;

 private:
  explicit Notation(int variables);

  int variables_;
  std::array<char, kMaxVariables + 1> positive_{}, negative_{};  // by variable
  std::array<std::uint32_t, 256> sets_{};                        // by character
};

// Whether a text is DIMACS or in characters: by its first line that is no comment, "p cnf 5 41".
bool is_dimacs(std::string_view text);

// Reads either notation. A formula here has at least one clause, and one to three different
// variables in each; the literals of a clause are put into the order of their variables. DIMACS may
// have fewer variables than the notation; repeated literals and clauses that are always true are
// left out.
Formula parse_formula(std::string_view text, const Notation& notation);

std::string render_formula(const Formula& formula, const Notation& notation);

}  // namespace mgdm::tasks::sat
