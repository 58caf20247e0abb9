#include "tasks/planning/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace mgdm::tasks::planning {
namespace {

bool has(const Problem& problem, const Edge& edge) {
  return std::find(problem.edges.begin(), problem.edges.end(), edge) != problem.edges.end();
}

}  // namespace

bool correct(const Problem& problem, std::string_view answer) {
  const auto walk = parse_edges(answer);
  if (!walk) return false;
  int node = problem.start;
  for (const Edge& edge : *walk) {
    if (edge.from != node || !has(problem, edge)) return false;
    node = edge.to;
  }
  return node == problem.goal;
}

std::vector<Fault> explain(const Problem& problem, std::string_view answer) {
  const auto walk = parse_edges(answer);
  if (!walk)
    return {{"malformed answer", 0,
             fmt::format("{} is not edges a,b separated by '/'", in_quotes(answer))}};
  if (correct(problem, answer)) return {};

  std::vector<Fault> illegal, broken, branch;
  int node = problem.start;
  for (std::size_t i = 0; i < walk->size(); ++i) {
    const Edge& edge = (*walk)[i];
    const int where = static_cast<int>(i) + 1;
    if (!has(problem, edge))
      illegal.push_back(
          {"illegal edge", where,
           fmt::format("edge {} ({},{}) is not in the puzzle{}", where, edge.from, edge.to,
                       has(problem, {edge.to, edge.from}) ? " that way round" : "")});
    if (edge.from != node)
      broken.push_back(
          {"broken chain", where,
           fmt::format("edge {} begins at {}, but the walk stands at {}", where, edge.from, node)});
    node = edge.to;
    if (illegal.empty() && broken.empty() && branch.empty() &&
        !find_path({problem.edges, node, problem.goal}))
      branch.push_back({"wrong branch", where,
                        fmt::format("edge {} goes from {} to {}, from where {} cannot be reached",
                                    where, edge.from, edge.to, problem.goal)});
  }
  std::vector<Fault> faults = std::move(illegal);
  faults.insert(faults.end(), broken.begin(), broken.end());
  faults.insert(faults.end(), branch.begin(), branch.end());
  if (faults.empty())
    faults.push_back({"stops short", static_cast<int>(walk->size()),
                      fmt::format("the walk ends at {} on the way to {}", node, problem.goal)});
  return faults;
}

}  // namespace mgdm::tasks::planning
