#include "tasks/countdown/released_metric.h"

#include <cmath>

#include "base/text.h"

namespace mgdm::tasks::countdown {
namespace {

using Value = std::optional<PythonNumber>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

double real(const PythonNumber& n) { return n.is_int ? static_cast<double>(n.integer) : n.real; }

PythonNumber of_int(std::int64_t n) { return {true, n, 0}; }
PythonNumber of_real(double x) { return {false, 0, x}; }

Value apply(const PythonNumber& a, std::string_view op, const PythonNumber& b) {
  const bool exact = a.is_int && b.is_int;
  std::int64_t integer = 0;
  if (op == "+") {
    if (exact && !__builtin_add_overflow(a.integer, b.integer, &integer)) return of_int(integer);
    return of_real(real(a) + real(b));
  }
  if (op == "-") {
    if (exact && !__builtin_sub_overflow(a.integer, b.integer, &integer)) return of_int(integer);
    return of_real(real(a) - real(b));
  }
  if (op == "*") {
    if (exact && !__builtin_mul_overflow(a.integer, b.integer, &integer)) return of_int(integer);
    return of_real(real(a) * real(b));
  }
  if (op == "/" || op == "//") {
    if (real(b) == 0) return std::nullopt;  // ZeroDivisionError
    if (op == "/") return of_real(real(a) / real(b));
    if (!exact || b.integer == -1) return of_real(std::floor(real(a) / real(b)));
    const bool round_down = a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0);
    return of_int(a.integer / b.integer - (round_down ? 1 : 0));
  }
  // **
  if (exact && b.integer >= 0 && b.integer < 64) {
    integer = 1;
    bool fits = true;
    for (std::int64_t i = 0; i < b.integer && fits; ++i)
      fits = !__builtin_mul_overflow(integer, a.integer, &integer);
    if (fits) return of_int(integer);
  }
  if (real(a) == 0 && real(b) < 0) return std::nullopt;  // ZeroDivisionError
  const double power = std::pow(real(a), real(b));
  if (!std::isfinite(power)) return std::nullopt;  // OverflowError, or a complex number
  return of_real(power);
}

// Python's grammar: sum > product > sign > power > number, where a power's exponent may be signed.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value parse() {
    const Value value = sum();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 200;

  // The operator at the front if it is one of the two; the two-character ones are not cut in half.
  std::string_view take(std::string_view first, std::string_view second) {
    std::string_view op = text_.substr(0, 1);
    if (op.empty()) return {};
    if ((op == "*" || op == "/") && text_.size() > 1 && text_[1] == op[0]) op = text_.substr(0, 2);
    if (op != first && op != second && !(op == "//" && second == "/")) return {};
    text_.remove_prefix(op.size());
    return op;
  }

  Value sum() { return chain("+", "-", &Parser::product); }
  Value product() { return chain("*", "/", &Parser::sign); }

  Value chain(std::string_view first, std::string_view second, Value (Parser::*operand)()) {
    Value left = (this->*operand)();
    while (left) {
      const std::string_view op = take(first, second);
      if (op.empty()) return left;
      const Value right = (this->*operand)();
      left = right ? apply(*left, op, *right) : std::nullopt;
    }
    return left;
  }

  Value sign() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    const std::string_view op = take("+", "-");
    Value value = op.empty() ? power() : sign();
    --depth_;
    if (value && op == "-") value = apply(of_int(0), "-", *value);
    return value;
  }

  Value power() {
    const Value base = number();
    if (!base || take("**", "**").empty()) return base;
    const Value exponent = sign();
    return exponent ? apply(*base, "**", *exponent) : std::nullopt;
  }

  Value number() {
    std::size_t length = 0;
    while (length < text_.size() && is_digit(text_[length])) ++length;
    const std::string_view digits = text_.substr(0, length);
    text_.remove_prefix(length);
    if (digits.empty()) return std::nullopt;
    if (digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of('0') != std::string_view::npos)
      return std::nullopt;  // SyntaxError: leading zeros
    Value value = of_int(0);
    for (const char digit : digits)
      value = apply(*apply(*value, "*", of_int(10)), "+", of_int(digit - '0'));
    return value;
  }

  std::string_view text_;
  int depth_ = 0;
};

// re.match(r'(\d+)([+\-*/])(\d+)', left)
bool starts_like_an_equation(std::string_view left) {
  std::size_t i = 0;
  while (i < left.size() && is_digit(left[i])) ++i;
  return i > 0 && i + 1 < left.size() &&
         std::string_view("+-*/").find(left[i]) != std::string_view::npos && is_digit(left[i + 1]);
}

// float(right) for an optional sign and digits.
std::optional<double> python_float(std::string_view text) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  double value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

bool equal(const PythonNumber& left, double right) {
  return left.is_int && std::fabs(right) < 0x1p63
             ? left.integer == static_cast<std::int64_t>(right)  // `right` is whole
             : real(left) == right;
}

bool equation_holds(std::string_view equation) {
  const std::size_t sign = equation.find('=');
  if (sign == std::string_view::npos || equation.find('=', sign + 1) != std::string_view::npos)
    return false;
  const std::string_view left = equation.substr(0, sign);
  if (!starts_like_an_equation(left)) return false;
  const Value value = Parser(left).parse();
  const auto right = python_float(equation.substr(sign + 1));
  return value && right && equal(*value, *right);
}

std::string_view after_last_equals(std::string_view text) {
  return text.substr(text.rfind('=') + 1);  // npos + 1 = 0: the whole text, as Python's split
}

}  // namespace

std::optional<PythonNumber> evaluate_python(std::string_view expression) {
  return Parser(expression).parse();
}

bool correct_as_released(std::string_view label, std::string_view answer) {
  if (after_last_equals(answer) != after_last_equals(label)) return false;
  while (true) {
    const std::size_t comma = answer.find(',');
    if (!equation_holds(answer.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    answer.remove_prefix(comma + 1);
  }
}

}  // namespace mgdm::tasks::countdown
