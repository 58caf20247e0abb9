// Exact search over all ways to combine the numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "tasks/countdown/problem.h"

namespace mgdm::tasks::countdown {

// What can be made of two numbers, in the order that decides the paper's labels.

// Calls use(equation) for a+b, a*b, larger-smaller, larger/smaller if exact, in this order, until
// it returns true; whether it did. Results that overflow are skipped: no target is that large.
template <class Use>
bool for_each_result(Number a, Number b, Use&& use) {
  if (use(Equation{a, '+', b, a + b})) return true;
  Number product = 0;
  if (!__builtin_mul_overflow(a, b, &product) && product < (Number{1} << 62) &&
      use(Equation{a, '*', b, product}))
    return true;
  const Number larger = std::max(a, b), smaller = std::min(a, b);
  if (use(Equation{larger, '-', smaller, larger - smaller})) return true;
  return smaller != 0 && larger % smaller == 0 &&
         use(Equation{larger, '/', smaller, larger / smaller});
}

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

// Whether typed numbers look like those of Game of 24 without the 24: four numbers up to 13, none
// of them set apart as the target, of which the first three do not reach the last.
bool lacks_target(std::string_view typed);

// Whether any solution exists (1 to kMaxNumbers numbers).
bool reachable(std::span<const Number> numbers, Number target);

}  // namespace mgdm::tasks::countdown
