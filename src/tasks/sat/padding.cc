#include "tasks/sat/padding.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

namespace mgdm::tasks::sat {
namespace {

// The variables that widen a clause are the first after `variable` that it does not name.
void add_widened(Formula& formula, std::span<const int> clause, int variable) {
  constexpr std::size_t kLiterals = 3;
  if (clause.size() == kLiterals) return formula.add(clause);
  const auto is_named = [&](int v) {
    return std::ranges::any_of(clause, [&](int literal) { return std::abs(literal) == v; });
  };
  do variable = variable % formula.variables + 1;
  while (is_named(variable));
  for (const int literal : {variable, -variable}) {
    std::vector<int> wider(clause.begin(), clause.end());
    wider.push_back(literal);
    std::ranges::sort(wider, by_variable);
    add_widened(formula, wider, variable);
  }
}

}  // namespace

std::optional<Formula> padded(const Formula& formula, std::size_t clauses) {
  Formula wide;
  wide.variables = formula.variables;
  for (std::size_t i = 0; i < formula.size() && wide.size() <= clauses; ++i)
    add_widened(wide, formula[i], static_cast<int>(i) % formula.variables + 1);
  const std::size_t own = wide.size();
  if (own > clauses) return std::nullopt;
  for (std::size_t i = 0; wide.size() < clauses; ++i)
    wide.add(std::vector<int>(wide[i % own].begin(), wide[i % own].end()));
  return wide;
}

}  // namespace mgdm::tasks::sat
