#include "tasks/planning/padding.h"

#include <algorithm>
#include <map>
#include <set>

namespace mgdm::tasks::planning {
namespace {

std::set<int> nodes_of(const Problem& problem) {
  std::set<int> nodes{problem.start, problem.goal};
  for (const Edge& edge : problem.edges) nodes.insert({edge.from, edge.to});
  return nodes;
}

// Where the other chain begins: a node that no edge enters; the start where there is no other.
int other_start(const Problem& problem) {
  const auto entered = [&](int node) {
    return std::ranges::find(problem.edges, node, &Edge::to) != problem.edges.end();
  };
  for (const Edge& edge : problem.edges)
    if (edge.from != problem.start && !entered(edge.from)) return edge.from;
  return problem.start;
}

}  // namespace

std::vector<Edge> LargerProblem::own_path(const std::vector<Edge>& path) const {
  const auto old_name = [&](int node) {
    const auto i = static_cast<std::size_t>(node);
    return i < old_names.size() ? old_names[i] : -1;
  };
  std::vector<Edge> own;
  for (const Edge& edge : path) {
    const Edge old{old_name(edge.from), old_name(edge.to)};
    if (old.from >= 0 && old.to >= 0) own.push_back(old);
  }
  return own;
}

std::optional<LargerProblem> padded(const Problem& problem, std::size_t edges, int names) {
  const std::set<int> nodes = nodes_of(problem);
  const auto limit = static_cast<std::size_t>(names);
  if (problem.edges.size() > edges || nodes.size() + edges - problem.edges.size() > limit)
    return std::nullopt;

  LargerProblem larger;
  larger.old_names.assign(limit, -1);
  std::vector<int> free;
  for (int name = 0; name < names; ++name)
    if (!nodes.contains(name)) free.push_back(name);
  const auto take_free = [&] {
    const int name = free.back();
    free.pop_back();
    return name;
  };
  std::map<int, int> new_names;
  for (const int node : nodes) {
    const int name = node < names ? node : take_free();
    new_names[node] = name;
    larger.old_names[static_cast<std::size_t>(name)] = node;
  }

  auto& [all, start, goal] = larger.problem;
  for (const Edge& edge : problem.edges) all.push_back({new_names[edge.from], new_names[edge.to]});
  start = new_names[problem.start];
  goal = new_names[problem.goal];
  int other = new_names[other_start(problem)];
  for (bool own = true; all.size() < edges; own = !own) {
    int& first = own ? start : other;
    const int before = take_free();
    all.push_back({before, first});
    first = before;
  }
  return larger;
}

}  // namespace mgdm::tasks::planning
