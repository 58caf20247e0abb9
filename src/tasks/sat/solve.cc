#include "tasks/sat/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "base/error.h"
#include "base/interrupt.h"

#ifdef MGDM_HAVE_CADICAL
#include <cadical.hpp>
#endif

namespace mgdm::tasks::sat {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::uint64_t word_count(int variables) {
  MGDM_CHECK(variables >= 0 && variables <= kBruteForceVariables);
  return variables <= 6 ? 1 : std::uint64_t{1} << (variables - 6);
}

std::uint64_t formula_models(const Formula& formula, std::uint64_t word) {
  const int n = formula.variables;
  std::uint64_t models = n < 6 ? (std::uint64_t{1} << (1 << n)) - 1 : kAll;
  for (std::size_t i = 0; i < formula.size() && models != 0; ++i)
    models &= clause_models(formula[i], n, word);
  return models;
}

}  // namespace

std::uint64_t clause_models(std::span<const int> clause, int variables, std::uint64_t word) {
  // Bit i of kTrue[b] is set when bit b of i is 0.
  constexpr std::array<std::uint64_t, 6> kTrue{0x5555555555555555, 0x3333333333333333,
                                               0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
                                               0x0000ffff0000ffff, 0x00000000ffffffff};
  std::uint64_t models = 0;
  for (const int literal : clause) {
    const auto bit = static_cast<std::size_t>(variables - std::abs(literal));
    const std::uint64_t where_true = bit < 6 ? kTrue[bit] : (word >> (bit - 6)) % 2 == 0 ? kAll : 0;
    models |= literal > 0 ? where_true : ~where_true;
  }
  return models;
}

std::vector<int> assignment_literals(std::uint64_t assignment, int variables) {
  std::vector<int> literals(static_cast<std::size_t>(variables));
  for (int v = variables; v >= 1; --v, assignment >>= 1)
    literals[static_cast<std::size_t>(v - 1)] = assignment % 2 == 0 ? v : -v;
  return literals;
}

Model first_model(const Formula& formula) {
  const std::uint64_t words = word_count(formula.variables);
  for (std::uint64_t word = 0; word < words; ++word)
    if (const std::uint64_t models = formula_models(formula, word); models != 0)
      return assignment_literals(64 * word + static_cast<unsigned>(std::countr_zero(models)),
                                 formula.variables);
  return std::nullopt;
}

Model solve(const Formula& formula) {
  return formula.variables <= kBruteForceVariables ? first_model(formula) : cadical_model(formula);
}

#ifdef MGDM_HAVE_CADICAL

Model cadical_model(const Formula& formula) {
  struct StopOnInterrupt : CaDiCaL::Terminator {
    bool terminate() override { return interrupted(); }
  };

  // The solver's tables are as long as the largest variable, so the variables that occur get the
  // numbers 1, 2, ...
  std::vector<int> used;
  used.reserve(formula.literals.size());
  for (const int literal : formula.literals) used.push_back(std::abs(literal));
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto number_of = [&](int variable) {
    return static_cast<int>(std::lower_bound(used.begin(), used.end(), variable) - used.begin()) +
           1;
  };

  StopOnInterrupt stop;
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);  // it comments on standard output, which is not its to use
  solver.connect_terminator(&stop);
  for (std::size_t i = 0; i < formula.size(); ++i) {
    for (const int literal : formula[i])
      solver.add(literal > 0 ? number_of(literal) : -number_of(-literal));
    solver.add(0);
  }
  constexpr int kSatisfiable = 10, kUnsatisfiable = 20;  // the IPASIR return codes
  const int status = solver.solve();
  solver.disconnect_terminator();
  if (status == kUnsatisfiable) return std::nullopt;
  stop_if_interrupted();
  MGDM_CHECK(status == kSatisfiable);

  for (std::size_t i = 0; i < used.size(); ++i)
    if (solver.val(static_cast<int>(i) + 1) < 0) used[i] = -used[i];
  return used;
}

#else

Model cadical_model(const Formula& formula) {
  throw Error(fmt::format("cannot solve a formula of {} variables: built without CaDiCaL",
                          formula.variables),
              fmt::format("at most {} variables", kBruteForceVariables),
              "install CaDiCaL (Debian package libcadical-dev) and configure and build again");
}

#endif

}  // namespace mgdm::tasks::sat
