// The SAT tasks: find values for the variables that satisfy every clause.
#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::sat {

// "sat-5" ... "sat-9": the paper's task, in its notation (formula.h).
std::unique_ptr<Task> make_sat(int variables);

// "sat": formulas of any size as DIMACS, to be solved and judged; they cannot be generated.
std::unique_ptr<Task> make_sat_any();

}  // namespace mgdm::tasks::sat
