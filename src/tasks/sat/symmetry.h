// The symmetries of a formula: other names for the variables, other signs, another clause order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "tasks/sat/formula.h"
#include "tasks/task.h"

namespace mgdm::tasks::sat {

// Where each variable goes: image[v - 1] is the literal that x_v becomes.
struct Renaming {
  std::vector<int> image;

  int operator()(int literal) const {
    return literal > 0 ? image[static_cast<std::size_t>(literal - 1)]
                       : -image[static_cast<std::size_t>(-literal - 1)];
  }
};

// Uniform over the n! 2^n renamings.
Renaming random_renaming(int variables, Stream& random);

// Clauses keep their places; the literals of each are sorted by variable again.
Formula renamed(const Formula& formula, const Renaming& renaming);

// An assignment as its true literals, sorted by variable again.
std::vector<int> renamed(std::span<const int> assignment, const Renaming& renaming);

Formula with_shuffled_clauses(const Formula& formula, Stream& random);

// A copy of an example, for augmentation: renamed at random, its clauses shuffled. The answer goes
// along; it satisfies the copy but need not be its first model. An empty answer stays empty.
Example random_copy(const Example& example, const Notation& notation, Stream& random);

// A text that every copy of the formula shares, for the train/test split: for each variable the
// numbers of its rarer and its more frequent sign, and these pairs in order.
std::string canonical_form(const Formula& formula);

}  // namespace mgdm::tasks::sat
