#include "tasks/sat/symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tasks/sat/answer.h"

namespace mgdm::tasks::sat {

Renaming random_renaming(int variables, Stream& random) {
  Renaming renaming{std::vector<int>(static_cast<std::size_t>(variables))};
  std::iota(renaming.image.begin(), renaming.image.end(), 1);
  random.shuffle(std::span(renaming.image));
  for (int& literal : renaming.image)
    if (random.below(2) == 1) literal = -literal;
  return renaming;
}

Formula renamed(const Formula& formula, const Renaming& renaming) {
  Formula out = formula;
  std::transform(out.literals.begin(), out.literals.end(), out.literals.begin(), renaming);
  auto begin = out.literals.begin();
  for (const std::size_t end_index : out.ends) {
    const auto end = out.literals.begin() + static_cast<std::ptrdiff_t>(end_index);
    std::sort(begin, end, by_variable);
    begin = end;
  }
  return out;
}

std::vector<int> renamed(std::span<const int> assignment, const Renaming& renaming) {
  std::vector<int> out(assignment.size());
  std::transform(assignment.begin(), assignment.end(), out.begin(), renaming);
  std::sort(out.begin(), out.end(), by_variable);
  return out;
}

Formula with_shuffled_clauses(const Formula& formula, Stream& random) {
  std::vector<std::size_t> order(formula.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  Formula out;
  out.variables = formula.variables;
  for (const std::size_t clause : order) out.add(formula[clause]);
  return out;
}

Example random_copy(const Example& example, const Notation& notation, Stream& random) {
  const Renaming renaming = random_renaming(notation.variables(), random);
  const Formula formula =
      with_shuffled_clauses(renamed(parse_formula(example.input, notation), renaming), random);
  Example copy{render_formula(formula, notation), ""};
  if (!example.output.empty())
    copy.output =
        render_answer(renamed(parse_answer(example.output, notation), renaming), notation);
  return copy;
}

std::string canonical_form(const Formula& formula) {
  std::vector<std::pair<int, int>> counts(static_cast<std::size_t>(formula.variables));
  for (const int literal : formula.literals) {
    auto& [positive, negative] = counts[static_cast<std::size_t>(std::abs(literal) - 1)];
    ++(literal > 0 ? positive : negative);
  }
  for (auto& [fewer, more] : counts)
    if (fewer > more) std::swap(fewer, more);
  std::sort(counts.begin(), counts.end());
  std::string text;
  for (const auto& [fewer, more] : counts) {
    if (!text.empty()) text += ' ';
    text += std::to_string(fewer);
    text += ':';
    text += std::to_string(more);
  }
  return text;
}

}  // namespace mgdm::tasks::sat
