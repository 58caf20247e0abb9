// Minimal planning: two chains of nodes cross at one node; walk the one that leads to the goal.
//
//   input   6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3    edges, shuffled; then start,goal
//   output  8,2/2,0/0,11/11,5/5,3                              the edges from start to goal
//
// At the crossing (node 2 here) two edges leave, and only looking ahead to the goal tells which one
// to take. How far ahead is the planning distance.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::tasks::planning {

constexpr int kMinNodes = 2, kMaxNodes = 50;  // nodes per chain; 6 in the paper

struct Edge {
  int from = 0, to = 0;
  auto operator<=>(const Edge&) const = default;
};

struct Problem {
  std::vector<Edge> edges;
  int start = 0, goal = 0;
};

// Error unless `input` reads as above, with every node in 0..2*kMaxNodes-1.
Problem parse_problem(std::string_view input);

// "8,2/2,0"; none when it is not a list of edges.
std::optional<std::vector<Edge>> parse_edges(std::string_view text);

std::string render(const Problem& problem);
std::string render(const std::vector<Edge>& edges);

// The walk from goal to start: edges in reverse order, each reversed.
std::vector<Edge> reversed(const std::vector<Edge>& path);

// The edges from start to goal by depth-first search; none when the goal cannot be reached.
std::optional<std::vector<Edge>> find_path(const Problem& problem);

// PD = (nodes per chain - 1) - i, where i is the index of the first node of the path with two
// edges leaving it (i = nodes per chain - 1 when there is none). 0 and 1 need no look-ahead.
int planning_distance(const Problem& problem, const std::vector<Edge>& path);

// Where in the text of the path one must know which of two edges leads to the goal: the place of
// the first character by which they differ. None where no node of the path has two.
std::optional<std::size_t> place_of_choice(const Problem& problem, const std::vector<Edge>& path);

}  // namespace mgdm::tasks::planning
