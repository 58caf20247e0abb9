#include "prompting/tree_of_thoughts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace mgdm::prompting {
namespace {

std::string line_of(const Step& step) {
  return fmt::format("{} (left: {})", step.equation, joined_by(step.left, " "));
}

// All thoughts one step further, without repetitions.
std::vector<Thought> grown(Thinker& thinker, const std::vector<Thought>& thoughts) {
  std::vector<Thought> further;
  std::set<std::vector<std::string>> seen;
  for (const Thought& thought : thoughts)
    for (Step& step : thinker.propose(thought.left)) {
      Thought next{thought.steps, {}, 0};
      next.steps.push_back(line_of(step));
      next.left = std::move(step.left);
      if (seen.insert(next.steps).second) further.push_back(std::move(next));
    }
  return further;
}

}  // namespace

std::vector<Thought> search_thoughts(Thinker& thinker, std::vector<std::string> numbers,
                                     std::size_t beam) {
  const std::size_t depth = numbers.size() - 1;
  std::vector<Thought> thoughts{{{}, std::move(numbers), 0}};
  for (std::size_t step = 0; step < depth && !thoughts.empty(); ++step) {
    thoughts = grown(thinker, thoughts);
    for (Thought& thought : thoughts) thought.value = thinker.value(thought.left);
    std::stable_sort(thoughts.begin(), thoughts.end(),
                     [](const Thought& a, const Thought& b) { return a.value > b.value; });
    thoughts.resize(std::min(thoughts.size(), beam));
  }
  return thoughts;
}

}  // namespace mgdm::prompting
