#include "tasks/sat/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks::sat {
namespace {

constexpr std::size_t kMostLiterals = 3;  // per clause

std::string clause_rule(const std::string& literals) {
  return fmt::format("one to three literals of different variables ({})", literals);
}

// Sorts a clause and adds it; `shown` and the names of the literals are for messages.
void add_clause(Formula& formula, std::vector<int> clause, std::string_view shown,
                const std::string& literals) {
  std::sort(clause.begin(), clause.end(), by_variable);
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("clause {} ({}) {}", formula.size() + 1, in_quotes(shown), what),
                clause_rule(literals));
  };
  if (clause.empty() || clause.size() > kMostLiterals)
    fail(fmt::format("has {} literals", clause.size()));
  for (std::size_t i = 1; i < clause.size(); ++i)
    if (std::abs(clause[i]) == std::abs(clause[i - 1]))
      fail(fmt::format("names x{} twice", std::abs(clause[i])));
  formula.add(clause);
}

Formula parse_characters(std::string_view text, const Notation& notation) {
  Formula formula;
  formula.variables = notation.variables();
  for (const std::string_view shown : split(text, '/')) {
    std::vector<int> clause;
    for (const std::string_view piece : split(shown, ',')) {
      const int literal = piece.size() == 1 ? notation.literal(piece[0]) : 0;
      if (literal == 0)
        throw Error(
            fmt::format("clause {} ({}): {} is no literal of {} variables", formula.size() + 1,
                        in_quotes(shown), in_quotes(piece), notation.variables()),
            clause_rule(notation.literals()) + " joined by ',', clauses joined by '/'");
      clause.push_back(literal);
    }
    add_clause(formula, std::move(clause), shown, notation.literals());
  }
  return formula;
}

Formula parse_dimacs(std::string_view text, const Notation& notation) {
  const Formula read = formats::read_dimacs(text);
  if (read.variables > notation.variables())
    throw Error(fmt::format("the formula has {} variables", read.variables),
                fmt::format("at most {}", notation.variables()));
  Formula formula;
  formula.variables = notation.variables();
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::set<int> clause(read[i].begin(), read[i].end());
    if (std::ranges::any_of(clause, [&](int literal) { return clause.contains(-literal); }))
      continue;
    add_clause(formula, {clause.begin(), clause.end()}, joined_by(read[i], " "),
               fmt::format("1..{}, or with a minus sign", read.variables));
  }
  return formula;
}

}  // namespace

Notation::Notation(int variables) : variables_(variables) {
  constexpr std::string_view kFive = "67890", kMore = "bcdefghij";
  for (int v = 1; v <= variables; ++v) {
    const auto i = static_cast<std::size_t>(v);
    positive_[i] = static_cast<char>('0' + v);
    negative_[i] = variables == 5 ? kFive[i - 1] : kMore[i - 1];
    sets_[static_cast<unsigned char>(positive_[i])] = 1u << v;
    sets_[static_cast<unsigned char>(negative_[i])] = 1u << (16 + v);
  }
}

const Notation& Notation::of(int variables) {
  static const std::array<Notation, kMaxVariables - kMinVariables + 1> kAll{
      Notation(5), Notation(6), Notation(7), Notation(8), Notation(9)};
  MGDM_CHECK(variables >= kMinVariables && variables <= kMaxVariables);
  return kAll[static_cast<std::size_t>(variables - kMinVariables)];
}

int Notation::literal(char c) const {
  const std::uint32_t bits = set(c);
  if (bits == 0) return 0;
  const int bit = std::countr_zero(bits);
  return bit > 16 ? 16 - bit : bit;
}

std::string Notation::literals() const {
  if (variables_ == 5) return "1..5, or 6 7 8 9 0 for their negations";
  return fmt::format("1..{}, or b..{} for their negations", variables_, character(-variables_));
}

bool is_dimacs(std::string_view text) {
  text = without_bom(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trim(text.substr(0, end + 1));
    if (!line.empty() && line != "c" && !line.starts_with("c ")) return line.starts_with("p ");
    text.remove_prefix(end + 1);
  }
  return false;
}

Formula parse_formula(std::string_view text, const Notation& notation) {
  text = trim(text);
  Formula formula;
  if (!text.empty())
    formula = is_dimacs(text) ? parse_dimacs(text, notation) : parse_characters(text, notation);
  if (formula.size() == 0)
    throw Error("the formula has no clauses",
                fmt::format("clauses such as {},{},{} joined by '/', or DIMACS",
                            notation.character(1), notation.character(-2), notation.character(4)));
  return formula;
}

std::string render_formula(const Formula& formula, const Notation& notation) {
  std::string text;
  text.reserve(2 * formula.literals.size());
  for (std::size_t i = 0; i < formula.size(); ++i)
    for (const int literal : formula[i]) {
      text += notation.character(literal);
      text += ',';
    }
  // The last comma of each clause becomes its end.
  for (const std::size_t end : formula.ends) text[2 * end - 1] = '/';
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace mgdm::tasks::sat
