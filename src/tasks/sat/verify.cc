#include "tasks/sat/verify.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/solve.h"

namespace mgdm::tasks::sat {
namespace {

// The true literals of a well-formed answer as a set (Notation::set); empty when it is malformed.
std::uint32_t answer_set(std::string_view answer, const Notation& notation) {
  const auto n = static_cast<std::size_t>(notation.variables());
  if (answer.size() != 2 * n - 1) return 0;
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t literal = notation.set(answer[2 * i]);
    const std::uint32_t variable = literal | literal >> 16;
    if ((variable & 0xffff) != 2u << i || (i > 0 && answer[2 * i - 1] != ',')) return 0;
    all |= literal;
  }
  return all;
}

struct Scan {
  bool plain = true;  // the text is as the dataset writes it, up to the order within clauses
  bool satisfied = true;
};

Scan scan(std::string_view input, std::uint32_t answer, const Notation& notation) {
  constexpr std::size_t kStride = 6;  // "x,y,z/"
  if (input.size() % kStride != kStride - 1) return {false, false};
  Scan result;
  for (std::size_t i = 0; i < input.size(); i += kStride) {
    const std::uint32_t x = notation.set(input[i]);
    const std::uint32_t y = notation.set(input[i + 2]);
    const std::uint32_t z = notation.set(input[i + 4]);
    const std::uint32_t twice = (x | x >> 16 | x << 16) & (y | z);
    const std::uint32_t twice_yz = (y | y >> 16 | y << 16) & z;
    const bool last = i + kStride > input.size();
    result.plain &= x != 0 && y != 0 && z != 0 && (twice | twice_yz) == 0 && input[i + 1] == ',' &&
                    input[i + 3] == ',' && (last || input[i + 5] == '/');
    result.satisfied &= ((x | y | z) & answer) != 0;
  }
  return result;
}

// An Error's message in one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const std::string_view part : split(text, '\n')) {
    if (!line.empty()) line += "; ";
    line += trim(part);
  }
  return line;
}

std::optional<std::vector<int>> parsed(std::string_view answer) {
  try {
    return parse_answer(answer);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The first literal that names no variable of the formula; 0 when there is none.
int stranger(std::span<const int> literals, const Formula& formula) {
  for (const int literal : literals)
    if (std::abs(literal) > formula.variables) return literal;
  return 0;
}

void add_repeated(const Assignment& assignment, std::vector<Fault>& found) {
  for (const int v : assignment.repeated())
    found.push_back({"variable twice", v, fmt::format("x{} is given more than once", v)});
}

// `show` writes a clause as its notation does.
template <class Show>
void add_unsatisfied(const Formula& formula, const Assignment& assignment, const Show& show,
                     std::vector<Fault>& found) {
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (assignment.satisfies(formula[i])) continue;
    std::string values;
    for (const int literal : formula[i]) {
      const int v = std::abs(literal), value = assignment.value(v);
      const char* const is = value > 0 ? "is true" : value < 0 ? "is false" : "has no value";
      values += fmt::format("{}x{} {}", values.empty() ? "" : ", ", v, is);
    }
    if (values.empty()) values = "it has no literals";
    found.push_back({"unsatisfied clause", static_cast<int>(i + 1),
                     fmt::format("clause {} ({}) fails: {}", i + 1, show(formula[i]), values)});
  }
}

}  // namespace

bool is_correct(std::string_view input, std::string_view answer, const Notation& notation) {
  const std::uint32_t literals = answer_set(answer, notation);
  const Scan result = scan(input, literals, notation);
  if (result.plain) return result.satisfied;
  // DIMACS or white space around it; or no formula at all, and the parser says why.
  const Formula formula = parse_formula(input, notation);
  return literals != 0 && Assignment(parse_answer(answer, notation)).satisfies(formula);
}

bool is_correct(const Formula& formula, std::string_view answer) {
  if (claims_unsatisfiable(answer)) return !solve(formula);
  const std::optional<std::vector<int>> literals = parsed(answer);
  if (!literals || stranger(*literals, formula) != 0) return false;
  const Assignment assignment(*literals);
  return assignment.repeated().empty() && assignment.satisfies(formula);
}

std::vector<Fault> faults(std::string_view input, std::string_view answer,
                          const Notation& notation) {
  const Formula formula = parse_formula(input, notation);
  std::vector<int> literals;
  try {
    literals = parse_answer(answer, notation);
  } catch (const Error& error) {
    return {{"malformed answer", 0, one_line(error.what())}};
  }
  std::vector<Fault> found;
  const Assignment assignment(literals);
  add_repeated(assignment, found);
  for (int v = 1; v <= notation.variables(); ++v)
    if (assignment.value(v) == 0)
      found.push_back({"variable missing", v, fmt::format("x{} has no value", v)});
  if (found.empty())  // every variable once: only their order may be wrong
    for (int v = 1; v <= notation.variables() && found.empty(); ++v)
      if (const int here = std::abs(literals[static_cast<std::size_t>(v - 1)]); here != v)
        found.push_back(
            {"malformed answer", v, fmt::format("x{} stands where x{} belongs", here, v)});
  const auto show = [&](std::span<const int> clause) { return render_answer(clause, notation); };
  add_unsatisfied(formula, assignment, show, found);
  return found;
}

std::vector<Fault> faults(const Formula& formula, std::string_view answer) {
  if (claims_unsatisfiable(answer)) {
    const Model model = solve(formula);
    if (!model) return {};
    return {{"satisfiable after all", 0,
             fmt::format("the answer claims unsatisfiable, but {} satisfies every clause",
                         shortened(render_answer(*model), 100))}};
  }
  std::vector<int> literals;
  try {
    literals = parse_answer(answer);
  } catch (const Error& error) {
    return {{"malformed answer", 0, one_line(error.what())}};
  }
  if (const int literal = stranger(literals, formula); literal != 0)
    return {{"malformed answer", 0,
             fmt::format("the literal {} names no variable; expected: 1..{}", literal,
                         formula.variables)}};
  std::vector<Fault> found;
  const Assignment assignment(literals);
  add_repeated(assignment, found);
  const auto show = [](std::span<const int> clause) { return render_answer(clause); };
  add_unsatisfied(formula, assignment, show, found);
  return found;
}

}  // namespace mgdm::tasks::sat
