// Random 3-SAT at the threshold where formulas are hardest, satisfiable ones only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "tasks/sat/formula.h"

namespace mgdm::tasks::sat {

// floor(4.258 n + 58.26 n^(-2/3)): the crossover of Crawford and Auton (1996), where half of all
// random formulas of large n are satisfiable.
int clause_count(int variables);

struct Puzzle {
  Formula formula;
  std::vector<int> label;  // the first model, see solve.h
};

// Draws clause_count(n) different clauses in random order, uniformly among the satisfiable choices.
//
// Drawing until a formula happens to be satisfiable would throw away 99 of 100 with five variables.
// Instead an assignment is drawn first, then clauses among those it satisfies. A formula of k
// models comes up k times as often as it should, once for each model, so it is kept with
// probability 1/k: every satisfiable formula is then equally likely, exactly as in the slow way.
class Generator {
 public:
  explicit Generator(int variables);  // kMinVariables..kMaxVariables

  Puzzle draw(Stream& random) const;

 private:
  static constexpr std::size_t kMaxWords = (1u << kMaxVariables) / 64;
  using Models = std::array<std::uint64_t, kMaxWords>;  // a set of assignments, see solve.h

  struct Clause {
    std::array<int, 3> literals;
    Models models;
  };

  int variables_;
  int clauses_;              // of a formula
  std::size_t words_;        // in use of Models
  Models everything_{};      // all assignments
  std::vector<Clause> all_;  // every possible clause
};

}  // namespace mgdm::tasks::sat
