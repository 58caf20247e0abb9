// Brings small formulas to the size that models learn.
#pragma once

#include <cstddef>
#include <optional>

#include "tasks/sat/formula.h"

namespace mgdm::tasks::sat {

// A formula with the same variables and models, and exactly `clauses` clauses of three literals.
// Shorter clauses are widened: (a) is (a or b or c) and (a or b or not c) and (a or not b or c) and
// (a or not b or not c) for any b and c. Then clauses repeat. None when this takes more clauses.
std::optional<Formula> padded(const Formula& formula, std::size_t clauses);

}  // namespace mgdm::tasks::sat
