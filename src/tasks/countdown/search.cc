#include "tasks/countdown/search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/error.h"

namespace mgdm::tasks::countdown {
namespace {

template <std::size_t N>
using Numbers = std::array<Number, N>;

// Numbers left after combining i and j: the others in order, then the result (set by the caller).
template <std::size_t N>
Numbers<N - 1> without(const Numbers<N>& numbers, std::size_t i, std::size_t j) {
  Numbers<N - 1> rest{};
  std::size_t k = 0;
  for (std::size_t m = 0; m < N; ++m)
    if (m != i && m != j) rest[k++] = numbers[m];
  return rest;
}

// Sieves: 1 if one operation on a and b could give the target; if an operation on c and a result of
// a and b could; if three numbers could. No division, no branches, and products may wrap: they can
// say yes wrongly, but never no wrongly.
using Word = std::uint64_t;

Word may_reach(Word a, Word b, Word target) {
  return Word{a + b == target} | Word{a * b == target} | Word{a - b == target} |
         Word{b - a == target} | Word{a == b * target} | Word{b == a * target};
}

Word may_reach_with(Word a, Word b, Word c, Word target) {
  const Word larger = std::max(a, b), smaller = std::min(a, b);
  // larger / smaller = r, multiplied out: r + c = target becomes larger + c * smaller = ...
  const Word scaled_c = c * smaller, scaled_target = target * smaller;
  return may_reach(a + b, c, target) | may_reach(a * b, c, target) |
         may_reach(larger - smaller, c, target) | Word{larger + scaled_c == scaled_target} |
         Word{larger - scaled_c == scaled_target} | Word{scaled_c - larger == scaled_target} |
         Word{larger * c == scaled_target} | Word{larger == scaled_c * target} |
         Word{scaled_c == larger * target};
}

bool may_reach(const Numbers<3>& numbers, Number target) {
  const auto x = static_cast<Word>(numbers[0]), y = static_cast<Word>(numbers[1]),
             z = static_cast<Word>(numbers[2]), t = static_cast<Word>(target);
  return (may_reach_with(x, y, z, t) | may_reach_with(x, z, y, t) | may_reach_with(y, z, x, t)) !=
         0;
}

// Depth-first search; writes the equations to `path`. It ends when found() returns true.
template <std::size_t N, class Found>
bool search(const Numbers<N>& numbers, Number target, Equation* path, Found&& found) {
  if constexpr (N == 1) {
    return numbers[0] == target && found();
  } else if constexpr (N == 2) {
    return for_each_result(numbers[0], numbers[1], [&](const Equation& equation) {
      if (equation.z != target) return false;
      *path = equation;
      return found();
    });
  } else {
    // Nearly all of the time goes into triples that lead nowhere.
    if constexpr (N == 3) {
      if (!may_reach(numbers, target)) return false;
    }
    for (std::size_t i = 0; i + 1 < N; ++i) {
      for (std::size_t j = i + 1; j < N; ++j) {
        Numbers<N - 1> rest = without(numbers, i, j);
        if (for_each_result(numbers[i], numbers[j], [&](const Equation& equation) {
              *path = equation;
              rest[N - 2] = equation.z;
              return search<N - 1>(rest, target, path + 1, found);
            }))
          return true;
      }
    }
    return false;
  }
}

template <std::size_t N, class Found>
bool search_span(std::span<const Number> numbers, Number target, Equation* path, Found&& found) {
  Numbers<N> fixed{};
  std::copy_n(numbers.begin(), N, fixed.begin());
  return search<N>(fixed, target, path, found);
}

template <class Found>
bool search_any(std::span<const Number> numbers, Number target, Equation* path, Found&& found) {
  static_assert(kMaxNumbers == 6);
  switch (numbers.size()) {
    case 1:
      return search_span<1>(numbers, target, path, found);
    case 2:
      return search_span<2>(numbers, target, path, found);
    case 3:
      return search_span<3>(numbers, target, path, found);
    case 4:
      return search_span<4>(numbers, target, path, found);
    case 5:
      return search_span<5>(numbers, target, path, found);
    case 6:
      return search_span<6>(numbers, target, path, found);
    default:
      check_failed("1 <= numbers.size() <= 6", __FILE__, __LINE__);
  }
}

using Path = std::array<Equation, kMaxNumbers>;

// The last solution that better(path) prefers to all before it.
template <class Better>
std::optional<std::vector<Equation>> best_solution(std::span<const Number> numbers, Number target,
                                                   Better&& better) {
  Path path, best;
  bool found = false;
  search_any(numbers, target, path.data(), [&] {
    if (better(path)) best = path, found = true;
    return false;
  });
  if (!found) return std::nullopt;
  return std::vector<Equation>(best.begin(), best.begin() + numbers.size() - 1);
}

}  // namespace

std::optional<std::vector<Equation>> first_solution(std::span<const Number> numbers,
                                                    Number target) {
  Path path;
  if (!search_any(numbers, target, path.data(), [] { return true; })) return std::nullopt;
  return std::vector<Equation>(path.begin(), path.begin() + numbers.size() - 1);
}

std::optional<std::vector<Equation>> any_solution(std::span<const Number> numbers, Number target,
                                                  Stream& random) {
  std::uint32_t seen = 0;  // the n-th takes the place of an earlier one with probability 1 / n
  return best_solution(numbers, target, [&](const Path&) { return random.below(++seen) == 0; });
}

std::optional<std::vector<Equation>> smallest_solution(std::span<const Number> numbers,
                                                       Number target) {
  struct Size {
    Number largest = std::numeric_limits<Number>::max(), sum = 0;
    auto operator<=>(const Size&) const = default;
  } least;
  return best_solution(numbers, target, [&](const Path& path) {
    Size size{0, 0};
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      size.largest = std::max(size.largest, path[i].z);
      size.sum += path[i].z;
    }
    return size < least && (least = size, true);
  });
}

bool reachable(std::span<const Number> numbers, Number target) {
  Path path;
  return search_any(numbers, target, path.data(), [] { return true; });
}

bool lacks_target(std::string_view typed) {
  constexpr std::size_t kNumbers = 4;
  constexpr Number kLargestCard = 13;
  if (typed.find_first_of("=>:") != std::string_view::npos ||
      typed.find("→") != std::string_view::npos)
    return false;
  try {
    const Problem problem = parse_problem(with_commas(typed), kNumbers - 1);
    const auto is_card = [&](Number number) { return number >= 1 && number <= kLargestCard; };
    return std::ranges::all_of(problem.numbers, is_card) && is_card(problem.target) &&
           !reachable(problem.numbers, problem.target);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace mgdm::tasks::countdown
