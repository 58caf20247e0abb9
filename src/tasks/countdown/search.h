// Exact search over all ways to combine the numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "tasks/countdown/problem.h"

namespace mgdm::tasks::countdown {

// The first solution of the depth-first search that defines the paper's labels: pairs (i < j) in
// index order; for a pair a+b, a*b, larger-smaller, larger/smaller if exact, in that order; the
// result goes to the end of the remaining numbers. All numbers are used.
std::optional<std::vector<Equation>> first_solution(std::span<const Number> numbers, Number target);

// One of them all, each path of the search as likely as any other: equations in another order, and
// an equal number in the place of another, make another path.
std::optional<std::vector<Equation>> any_solution(std::span<const Number> numbers, Number target,
                                                  Stream& random);

// The one whose largest result is the smallest; of those the one with the smallest sum of results,
// of those the first.
std::optional<std::vector<Equation>> smallest_solution(std::span<const Number> numbers,
                                                       Number target);

// Whether any solution exists (1 to kMaxNumbers numbers).
bool reachable(std::span<const Number> numbers, Number target);

}  // namespace mgdm::tasks::countdown
