#include "tasks/sat/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks::sat {
namespace {

using Status = formats::SolverAnswer::Status;

bool is_solver_output(std::string_view text) {
  return text.starts_with('c') || formats::begins_solver_answer(text.substr(0, text.find('\n')));
}

std::vector<int> parse_solver_output(std::string_view text) {
  formats::SolverAnswer answer = formats::read_solver_answer(text);
  if (answer.status != Status::kSatisfiable)
    throw Error(answer.status == Status::kUnsatisfiable ? "the answer claims unsatisfiable"
                                                        : "the answer gives up",
                "the literals that are true");
  return std::move(answer.literals);
}

}  // namespace

std::vector<int> parse_answer(std::string_view text, const Notation& notation) {
  const std::string expected =
      fmt::format("{} literals ({}) joined by ','", notation.variables(), notation.literals());
  if (text.empty()) throw Error("the answer is empty", expected);
  std::vector<int> literals;
  for (const std::string_view piece : split(text, ',')) {
    const int literal = piece.size() == 1 ? notation.literal(piece[0]) : 0;
    if (literal == 0)
      throw Error(fmt::format("piece {} of the answer, {}, is no literal", literals.size() + 1,
                              in_quotes(piece)),
                  expected);
    literals.push_back(literal);
  }
  return literals;
}

std::vector<int> parse_answer(std::string_view text) {
  text = trim(without_bom(text));
  if (is_solver_output(text)) return parse_solver_output(text);

  constexpr std::int64_t kLargest = std::numeric_limits<int>::max();
  constexpr std::string_view kSeparators = ", \t\r\n\v\f";
  std::vector<int> literals;
  bool closed = false;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) return literals;
    const std::string_view piece = text.substr(0, text.find_first_of(kSeparators));
    text.remove_prefix(piece.size());
    const std::optional<std::int64_t> value = parse_int(piece);
    if (closed || !value || *value > kLargest || *value < -kLargest)
      throw Error(fmt::format("piece {} of the answer, {}, is no literal", literals.size() + 1,
                              in_quotes(piece)),
                  "signed integers separated by ',' or spaces, such as 1,-2,3");
    closed = *value == 0;
    if (!closed) literals.push_back(static_cast<int>(*value));
  }
}

bool claims_unsatisfiable(std::string_view text) {
  text = trim(without_bom(text));
  if (!is_solver_output(text)) return false;
  try {
    return formats::read_solver_answer(text).status == Status::kUnsatisfiable;
  } catch (const Error&) {
    return false;
  }
}

std::string render_answer(std::span<const int> literals, const Notation& notation) {
  std::string text;
  for (const int literal : literals) {
    if (!text.empty()) text += ',';
    text += notation.character(literal);
  }
  return text;
}

std::string render_answer(std::span<const int> literals) { return joined_by(literals, ","); }

Assignment::Assignment(std::span<const int> literals)
    : literals_(literals.begin(), literals.end()) {
  const auto before = [](int a, int b) { return std::abs(a) < std::abs(b); };
  const auto same = [](int a, int b) { return std::abs(a) == std::abs(b); };
  std::stable_sort(literals_.begin(), literals_.end(), before);
  for (std::size_t i = 1; i < literals_.size(); ++i)
    if (same(literals_[i - 1], literals_[i])) repeated_.push_back(std::abs(literals_[i]));
  repeated_.erase(std::unique(repeated_.begin(), repeated_.end()), repeated_.end());
  literals_.erase(std::unique(literals_.begin(), literals_.end(), same), literals_.end());
}

int Assignment::value(int variable) const {
  const auto sign = [](int literal) { return literal > 0 ? 1 : -1; };
  // In a complete assignment variable v stands at v - 1; otherwise it can only stand before.
  const auto place = static_cast<std::size_t>(variable - 1);
  if (place < literals_.size() && std::abs(literals_[place]) == variable)
    return sign(literals_[place]);
  const auto end =
      literals_.begin() + static_cast<std::ptrdiff_t>(std::min(place, literals_.size()));
  const auto found = std::lower_bound(literals_.begin(), end, variable,
                                      [](int a, int b) { return std::abs(a) < b; });
  return found != end && std::abs(*found) == variable ? sign(*found) : 0;
}

bool Assignment::satisfies(std::span<const int> clause) const {
  return std::any_of(clause.begin(), clause.end(), [&](int literal) {
    return value(std::abs(literal)) == (literal > 0 ? 1 : -1);
  });
}

bool Assignment::satisfies(const Formula& formula) const {
  for (std::size_t i = 0; i < formula.size(); ++i)
    if (!satisfies(formula[i])) return false;
  return true;
}

}  // namespace mgdm::tasks::sat
