// For tests.
#pragma once

#include <vector>

#include "tasks/sat/formula.h"

namespace mgdm::tasks::sat {

inline Formula formula(int variables, const std::vector<std::vector<int>>& clauses) {
  Formula out;
  out.variables = variables;
  for (const auto& clause : clauses) out.add(clause);
  return out;
}

}  // namespace mgdm::tasks::sat
