// Tree of Thoughts (Yao et al. 2023) as a search: breadth first over partial solutions, of which
// the model values each and a beam of the best is kept.
//
// The search knows the model only as a Thinker: its logic is tested without one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prompting/game24.h"

namespace mgdm::prompting {

// Some steps, and the numbers that are left after them.
struct Thought {
  std::vector<std::string> steps;  // "2 * 6 = 12 (left: 4 12 5)"
  std::vector<std::string> left;
  double value = 0;
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  // Next steps from these numbers; each leaves one number less.
  virtual std::vector<Step> propose(const std::vector<std::string>& numbers) = 0;
  // How good it is to have these numbers; more is better.
  virtual double value(const std::vector<std::string>& numbers) = 0;
};

// Proposes from every kept thought, values every new one, keeps the `beam` best (of equal ones the
// earlier), until one number is left. The same steps are kept once. Best first; none when nothing
// was proposed.
std::vector<Thought> search_thoughts(Thinker& thinker, std::vector<std::string> numbers,
                                     std::size_t beam);

}  // namespace mgdm::prompting
