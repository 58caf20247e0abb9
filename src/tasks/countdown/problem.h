// Countdown: reach the target from the numbers, using each exactly once, with + - * /.
//
//   input   86,28,13,31,96                  four numbers, then the target
//   output  86+28=114,31-13=18,114-18=96    one equation per step, the last result is the target
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::tasks::countdown {

using Number = std::int64_t;

constexpr int kMinNumbers = 3, kMaxNumbers = 6;
constexpr Number kMaxGiven = 9999;  // 9999^6 does not fit, but results over 2^62 are never useful

// The complaint about a puzzle that only fractions might solve.
constexpr const char* kNoneInWholeNumbers = "no solution in whole numbers";

struct Problem {
  std::vector<Number> numbers;
  Number target = 0;
};

// A list of numbers as people write it, "4 5 6 10 -> 24" or "nums: [4, 5, 6, 10], target: 24", with
// commas between them; as it is where something else stands there, or space alone beside commas,
// which may be a slip.
std::string with_commas(std::string_view text);

// Error unless `input` is `count` numbers and a target, all within 0..kMaxGiven.
Problem parse_problem(std::string_view input, int count);
std::string render(const Problem& problem);

// x op y = z.
struct Equation {
  Number x = 0;
  char op = '+';
  Number y = 0;
  Number z = 0;  // as written
  auto operator<=>(const Equation&) const = default;
};

std::string render(const Equation& equation);
std::string render(const std::vector<Equation>& equations);

// Exactly `digits op digits = digits`; numbers of more than 15 digits are refused.
std::optional<Equation> parse_equation(std::string_view text);

// x op y; none for a division by zero or one that is not exact.
std::optional<Number> value(Number x, char op, Number y);

}  // namespace mgdm::tasks::countdown
