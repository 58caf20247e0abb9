// For tests.
#pragma once

#include <cstdint>
#include <vector>

#include "tasks/sat/answer.h"
#include "tasks/sat/solve.h"

namespace mgdm::tasks::sat {

inline Formula formula(int variables, const std::vector<std::vector<int>>& clauses) {
  Formula out;
  out.variables = variables;
  for (const auto& clause : clauses) out.add(clause);
  return out;
}

// One assignment after the other.
inline std::uint64_t count_models(const Formula& formula) {
  std::uint64_t count = 0;
  for (std::uint64_t a = 0; a < std::uint64_t{1} << formula.variables; ++a)
    if (Assignment(assignment_literals(a, formula.variables)).satisfies(formula)) ++count;
  return count;
}

}  // namespace mgdm::tasks::sat
