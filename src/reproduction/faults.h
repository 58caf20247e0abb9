// The kinds of faults that answers of a task may show (docs/tasks.md), for tables of them.
#pragma once

#include <string>
#include <vector>

namespace mgdm::reproduction {

struct Faults {
  int equations = 0;                          // of an answer; 0 where it has none
  std::vector<std::string> by_equation = {};  // told apart by where they stand, as the paper does
  std::vector<std::string> others = {};
};

Faults faults_of(const std::string& task);

}  // namespace mgdm::reproduction
