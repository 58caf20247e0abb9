// The truth about an answer: is every clause satisfied, and if not, what is wrong.
#pragma once

#include <string_view>
#include <vector>

#include "tasks/sat/formula.h"
#include "tasks/task.h"

namespace mgdm::tasks::sat {

// The paper's notation, strictly: one literal per variable, in their order, joined by ','. Looks at
// the characters as they stand, without building a formula. An Error when `input` is no formula.
bool is_correct(std::string_view input, std::string_view answer, const Notation& notation);

// Integers, in any order: no variable twice, every clause satisfied. A variable that is left out
// has no value and satisfies nothing. A solver's "s UNSATISFIABLE" is correct when there is no
// model, which is searched for (see solve.h): an Error where CaDiCaL would be needed and is not
// there.
bool is_correct(const Formula& formula, std::string_view answer);

// Everything wrong with an answer, the decisive fault first; empty exactly when it is correct.
// Categories: "malformed answer" (where = the piece that is out of place, or 0), "variable twice",
// "variable missing" (where = the variable), "unsatisfied clause" (where = its number),
// "satisfiable after all" (of a solver that found no solution).
std::vector<Fault> faults(std::string_view input, std::string_view answer,
                          const Notation& notation);
std::vector<Fault> faults(const Formula& formula, std::string_view answer);

}  // namespace mgdm::tasks::sat
