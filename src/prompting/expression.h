// Arithmetic as people and language models write it, computed exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::prompting {

// A fraction in lowest terms, the denominator above 0.
struct Fraction {
  std::int64_t numerator = 0, denominator = 1;
  bool operator==(const Fraction&) const = default;
};

struct Expression {
  Fraction value;
  std::vector<std::int64_t> numbers;  // that stand in it, in this order
};

// Parses whole numbers, + - * / and parentheses, in any of the signs that plain_signs() reads. None
// for anything else, a division by zero, or numbers that exceed 64 bits.
std::optional<Expression> parse_expression(std::string_view text);

// Rewrites arithmetic from Markdown and TeX in the signs of a keyboard.

// "4 \times \frac{6}{2} ✅" -> "4 * ((6)/(2))": × x · \cdot and the like as *, ÷ as /, long dashes
// as -, brackets and braces as parentheses, \frac as a quotient; without \boxed, \left, \( \), $
// and what else only says how it looks. Every run of white space is one space, none at the ends.
std::string plain_signs(std::string_view text);

}  // namespace mgdm::prompting
