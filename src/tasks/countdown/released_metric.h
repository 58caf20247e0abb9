// The metric of the paper's released code, quirks included, so that our numbers compare.
//
// It splits the answer at commas, each part at '=', requires the left side to *start* with
// `digits op digits`, evaluates the whole left side as a Python expression and compares it with
// float(right). The text after the last '=' must equal the one in the label. Which numbers were
// used is not checked. (Letters, which Python could read as 1e5 or 2j, are not evaluated here.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mgdm::tasks::countdown {

bool correct_as_released(std::string_view label, std::string_view answer);

// Value of a Python expression over decimal integers with + - * / // ** and signs; none where
// Python raises an exception. Exposed for tests.
struct PythonNumber {
  bool is_int = true;  // Python's integers do not overflow; past 64 bits ours go on as `real`,
  std::int64_t integer = 0;  // where no answer of a puzzle can be right anyway
  double real = 0;
};
std::optional<PythonNumber> evaluate_python(std::string_view expression);

}  // namespace mgdm::tasks::countdown
