// Tree of Thoughts (Yao et al. 2023) as a breadth-first search over partial solutions: the model
// scores each, and a beam of the best is kept.
//
// The search sees the model only as a Thinker, so tests need no model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prompting/game24.h"

namespace mgdm::prompting {

// Steps so far, and the numbers that are left after them.
struct Thought {
  std::vector<std::string> steps;  // "2 * 6 = 12 (left: 4 12 5)"
  std::vector<std::string> left;
  double value = 0;
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  // Proposes next steps from these numbers; each leaves one number less.
  virtual std::vector<Step> propose(const std::vector<std::string>& numbers) = 0;
  // Scores a set of numbers; higher is better.
  virtual double value(const std::vector<std::string>& numbers) = 0;
};

// Expands every kept thought, scores every new one, and keeps the `beam` best (among equals the
// earlier) until one number is left. Equal steps are kept once. Returns the best first; empty when
// nothing was proposed.
std::vector<Thought> search_thoughts(Thinker& thinker, std::vector<std::string> numbers,
                                     std::size_t beam);

}  // namespace mgdm::prompting
