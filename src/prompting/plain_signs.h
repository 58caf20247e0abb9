// Rewrites arithmetic from Markdown and TeX in the signs of a keyboard.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::prompting {

// "4 \times \frac{6}{2} ✅" -> "4 * ((6)/(2))": × x · \cdot and the like as *, ÷ as /, long dashes
// as -, brackets and braces as parentheses, \frac as a quotient; without \boxed, \left, \( \), $
// and what else only says how it looks. Every run of white space is one space, none at the ends.
std::string plain_signs(std::string_view text);

}  // namespace mgdm::prompting
