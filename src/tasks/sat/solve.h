// Exact search for satisfying assignments ("models").
//
// Up to 20 variables all 2^n assignments are looked at, 64 in one machine word. They are numbered
// so that the first model is the label: the bits of assignment a, from the highest, are variables
// 1, 2, ..., and 0 means true. So a = 0 is all true, and True comes before False from variable 1
// up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tasks/sat/formula.h"

namespace mgdm::tasks::sat {

inline constexpr int kBruteForceVariables = 20;

// The literals that are true in a model, by variable; none when there is no model.
using Model = std::optional<std::vector<int>>;

// The first model by brute force, or any model by CaDiCaL beyond kBruteForceVariables. There,
// variables that occur in no clause are left out: a header may promise billions of them.
Model solve(const Formula& formula);

// At most kBruteForceVariables variables.
Model first_model(const Formula& formula);

// Any model, by CaDiCaL, without the variables that occur in no clause. An Error when the program
// was built without it. Ctrl-C ends the search with Interrupted.
Model cadical_model(const Formula& formula);

// The assignments 64 * word ... 64 * word + 63 that satisfy a clause of a formula with this many
// variables, as bits. With fewer than 6 variables the bits from 2^variables up mean nothing.
std::uint64_t clause_models(std::span<const int> clause, int variables, std::uint64_t word);

// The true literals of an assignment, by variable.
std::vector<int> assignment_literals(std::uint64_t assignment, int variables);

}  // namespace mgdm::tasks::sat
