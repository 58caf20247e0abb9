// What can be made of two numbers, in the order that decides the paper's labels.
#pragma once

#include <algorithm>

#include "tasks/countdown/problem.h"

namespace mgdm::tasks::countdown {

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

}  // namespace mgdm::tasks::countdown
