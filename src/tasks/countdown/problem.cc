#include "tasks/countdown/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks::countdown {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Takes the digits at the front of `text`; none when there are none or too many.
std::optional<Number> take_number(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of(kDigits), text.size());
  if (length == 0 || length > 15) return std::nullopt;
  Number number = 0;
  for (const char digit : text.substr(0, length)) number = 10 * number + (digit - '0');
  text.remove_prefix(length);
  return number;
}

}  // namespace

namespace {

// "[", " = ", "-> ", "nums: [", "], target: ": what people write around and between numbers. The
// words and signs are taken off; false where anything else stands there, or several commas.
bool is_between(std::string text) {
  for (const std::string_view word : {"numbers", "nums", "target", "goal", "->", "=>", "→"})
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.erase(at, word.size());
  return text.find_first_not_of(" \t\r\n,;:=[](){}\"'") == std::string::npos &&
         std::ranges::count_if(text, [](char c) { return c == ',' || c == ';'; }) <= 1;
}

}  // namespace

std::string with_commas(std::string_view text) {
  if (text.find_first_not_of("0123456789,") == std::string_view::npos) return std::string(text);
  const bool listed = text.find_first_of(",;") != std::string_view::npos;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t begin = std::min(rest.find_first_of(kDigits), rest.size());
    const std::string_view between = rest.substr(0, begin);
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find_first_not_of(kDigits), rest.size());
    const bool inner = !out.empty() && end > 0;
    if (!is_between(lowered(between)) || (inner && listed && trim(between).empty()) ||
        (!inner && between.find_first_of(",;") != std::string_view::npos))
      return std::string(text);
    if (inner) out += ',';
    out += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  return out;
}

Problem parse_problem(std::string_view input, int count) {
  Problem problem;
  problem.numbers.reserve(static_cast<std::size_t>(count) + 1);
  std::string_view rest = input;
  bool well_formed = true;
  while (well_formed) {
    const auto number = take_number(rest);
    well_formed = number && *number <= kMaxGiven;
    if (well_formed) problem.numbers.push_back(*number);
    if (rest.empty() || !rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  if (!well_formed || !rest.empty() ||
      problem.numbers.size() != static_cast<std::size_t>(count) + 1)
    throw Error(
        fmt::format("{} is not a countdown-{} puzzle", in_quotes(input), count),
        fmt::format("{} numbers and the target, all 0..{}, separated by commas", count, kMaxGiven),
        rest.empty() && problem.numbers.size() == static_cast<std::size_t>(count)
            ? "add the target as the last number"
            : "");
  problem.target = problem.numbers.back();
  problem.numbers.pop_back();
  return problem;
}

std::string render(const Problem& problem) {
  return fmt::format("{},{}", joined_by(problem.numbers, ","), problem.target);
}

std::string render(const Equation& equation) {
  return fmt::format("{}{}{}={}", equation.x, equation.op, equation.y, equation.z);
}

std::string render(const std::vector<Equation>& equations) {
  std::string out;
  for (const Equation& equation : equations) {
    if (!out.empty()) out += ',';
    out += render(equation);
  }
  return out;
}

std::optional<Equation> parse_equation(std::string_view text) {
  Equation equation;
  const auto x = take_number(text);
  if (!x || text.empty()) return std::nullopt;
  equation.op = text.front();
  if (std::string_view("+-*/").find(equation.op) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  const auto y = take_number(text);
  if (!y || !text.starts_with('=')) return std::nullopt;
  text.remove_prefix(1);
  const auto z = take_number(text);
  if (!z || !text.empty()) return std::nullopt;
  equation.x = *x;
  equation.y = *y;
  equation.z = *z;
  return equation;
}

std::optional<Number> value(Number x, char op, Number y) {
  Number result = 0;
  switch (op) {
    case '+':
      return x + y;  // both have at most 15 digits
    case '-':
      return x - y;
    case '*':
      if (__builtin_mul_overflow(x, y, &result)) return std::nullopt;
      return result;
    case '/':
      if (y == 0 || x % y != 0) return std::nullopt;
      return x / y;
    default:
      return std::nullopt;
  }
}

}  // namespace mgdm::tasks::countdown
