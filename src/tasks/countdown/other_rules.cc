#include "tasks/countdown/other_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "tasks/countdown/search.h"

namespace mgdm::tasks::countdown {
namespace {

// In lowest terms, not negative.
struct Fraction {
  Number above = 0, below = 1;
  bool operator==(const Fraction&) const = default;
};

std::string render(const Fraction& value) {
  return value.below == 1 ? std::to_string(value.above)
                          : fmt::format("({}/{})", value.above, value.below);
}

// Larger than any fraction that six numbers up to kMaxGiven need; products of two such fit.
constexpr Number kLargest = Number{1} << 30;

std::optional<Fraction> reduced(Number above, Number below) {
  const Number divisor = std::gcd(above, below);
  if (below == 0 || above / divisor > kLargest || below / divisor > kLargest) return std::nullopt;
  return Fraction{above / divisor, below / divisor};
}

// x op y for x >= y where op is '-'; none for a division by zero.
std::optional<Fraction> value(const Fraction& x, char op, const Fraction& y) {
  switch (op) {
    case '+':
      return reduced(x.above * y.below + y.above * x.below, x.below * y.below);
    case '-':
      return reduced(x.above * y.below - y.above * x.below, x.below * y.below);
    case '*':
      return reduced(x.above * y.above, x.below * y.below);
    default:
      return reduced(x.above * y.below, x.below * y.above);
  }
}

// Depth first over all pairs, as the search for whole numbers; the equations go to `path`.
bool search(const std::vector<Fraction>& numbers, const Fraction& target,
            std::vector<std::string>& path) {
  if (numbers.size() == 1) return numbers[0] == target;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      std::vector<Fraction> rest;
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (k != i && k != j) rest.push_back(numbers[k]);
      rest.emplace_back();
      const auto leads_there = [&](const Fraction& x, char op, const Fraction& y) {
        const std::optional<Fraction> result = value(x, op, y);
        if (!result) return false;
        rest.back() = *result;
        if (!search(rest, target, path)) return false;
        path.push_back(fmt::format("{}{}{}={}", render(x), op, render(y), render(*result)));
        return true;
      };
      const Fraction &a = numbers[i], &b = numbers[j];
      const bool ordered = a.above * b.below >= b.above * a.below;
      const Fraction &larger = ordered ? a : b, &smaller = ordered ? b : a;
      if (leads_there(a, '+', b) || leads_there(a, '*', b) || leads_there(larger, '-', smaller) ||
          leads_there(larger, '/', smaller) || leads_there(smaller, '/', larger))
        return true;
    }
  return false;
}

std::optional<std::string> solve_with(const std::vector<Number>& numbers, Number target,
                                      bool fractions) {
  if (const auto whole = first_solution(numbers, target))
    return whole->empty() ? std::to_string(target) : render(*whole);
  if (!fractions) return std::nullopt;
  std::vector<Fraction> all;
  for (const Number number : numbers) all.push_back({number, 1});
  std::vector<std::string> path;
  if (!search(all, {target, 1}, path)) return std::nullopt;
  std::string text;
  for (auto equation = path.rbegin(); equation != path.rend(); ++equation)
    text += (text.empty() ? "" : ",") + *equation;
  return text;
}

}  // namespace

std::optional<std::string> solve_by(const Rules& rules, const Problem& problem) {
  const std::size_t count = problem.numbers.size();
  std::vector<unsigned> subsets((1u << count) - 1);
  std::iota(subsets.begin(), subsets.end(), 1u);
  const auto size = [](unsigned subset) { return std::popcount(subset); };
  std::ranges::stable_sort(subsets, std::ranges::greater{}, size);
  if (!rules.unused) subsets.resize(1);
  for (const unsigned subset : subsets) {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < count; ++i)
      if ((subset >> i & 1u) != 0) numbers.push_back(problem.numbers[i]);
    if (const auto found = solve_with(numbers, problem.target, rules.fractions)) return found;
  }
  return std::nullopt;
}

}  // namespace mgdm::tasks::countdown
