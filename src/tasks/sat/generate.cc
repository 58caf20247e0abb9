#include "tasks/sat/generate.h"

#include <bit>
#include <bitset>
#include <cmath>

#include "base/error.h"
#include "tasks/sat/solve.h"

namespace mgdm::tasks::sat {
namespace {

// 8 signs for each of 9 * 8 * 7 / 6 choices of variables.
constexpr std::size_t kMaxClauses = 8 * 84;

}  // namespace

int clause_count(int variables) {
  return static_cast<int>(4.258 * variables + 58.26 * std::pow(variables, -2.0 / 3.0));
}

Generator::Generator(int variables)
    : variables_(variables),
      clauses_(clause_count(variables)),
      words_(variables <= 6 ? 1 : std::size_t{1} << (variables - 6)) {
  MGDM_CHECK(variables >= kMinVariables && variables <= kMaxVariables);
  const auto models_of = [&](std::span<const int> clause) {
    Models models{};
    for (std::size_t word = 0; word < words_; ++word)
      models[word] = clause_models(clause, variables, word);
    return models;
  };
  for (int a = 1; a <= variables; ++a)
    for (int b = a + 1; b <= variables; ++b)
      for (int c = b + 1; c <= variables; ++c)
        for (int signs = 0; signs < 8; ++signs) {
          const std::array<int, 3> literals{signs & 4 ? -a : a, signs & 2 ? -b : b,
                                            signs & 1 ? -c : c};
          all_.push_back({literals, models_of(literals)});
        }
  for (std::size_t word = 0; word < words_; ++word)
    everything_[word] =
        variables < 6 ? (std::uint64_t{1} << (1 << variables)) - 1 : ~std::uint64_t{0};
}

Puzzle Generator::draw(Stream& random) const {
  const auto count = static_cast<std::size_t>(clauses_);
  Puzzle puzzle;
  puzzle.formula.variables = variables_;
  puzzle.formula.literals.reserve(3 * count);
  puzzle.formula.ends.reserve(count);
  while (true) {
    const std::uint32_t planted = random.below(1u << variables_);
    puzzle.formula.literals.clear();
    puzzle.formula.ends.clear();
    std::bitset<kMaxClauses> taken;
    Models models = everything_;
    while (puzzle.formula.size() < count) {
      const std::size_t drawn = random.below(static_cast<std::uint32_t>(all_.size()));
      const Clause& clause = all_[drawn];
      const bool holds = (clause.models[planted / 64] >> (planted % 64)) % 2 != 0;
      if (!holds || taken[drawn]) continue;
      taken[drawn] = true;
      puzzle.formula.add(clause.literals);
      for (std::size_t word = 0; word < words_; ++word) models[word] &= clause.models[word];
    }

    std::uint32_t model_count = 0;
    for (std::size_t word = 0; word < words_; ++word)
      model_count += static_cast<std::uint32_t>(std::popcount(models[word]));
    if (random.below(model_count) != 0) continue;

    std::size_t word = 0;
    while (models[word] == 0) ++word;
    puzzle.label = assignment_literals(
        64 * word + static_cast<unsigned>(std::countr_zero(models[word])), variables_);
    return puzzle;
  }
}

}  // namespace mgdm::tasks::sat
