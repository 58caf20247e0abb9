#include "tasks/planning/generate.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>

namespace mgdm::tasks::planning {

Puzzle generate(Stream& random, int nodes) {
  const auto n = static_cast<std::size_t>(nodes);
  std::array<int, 2 * kMaxNodes> label_storage{};
  const std::span<int> labels(label_storage.data(), 2 * n);
  std::iota(labels.begin(), labels.end(), 0);
  random.shuffle(labels);
  // Stream one is labels[0..n), stream two labels[n..2n), except where they cross.
  const std::size_t crossing = random.below(static_cast<std::uint32_t>(nodes));
  labels[n + crossing] = labels[crossing];

  Puzzle puzzle;
  puzzle.path.reserve(n - 1);
  puzzle.problem.edges.reserve(2 * (n - 1));
  for (std::size_t i = 0; i + 1 < n; ++i) puzzle.path.push_back({labels[i], labels[i + 1]});
  puzzle.problem.edges = puzzle.path;
  for (std::size_t i = n; i + 1 < 2 * n; ++i)
    puzzle.problem.edges.push_back({labels[i], labels[i + 1]});
  random.shuffle(std::span<Edge>(puzzle.problem.edges));
  puzzle.problem.start = labels[0];
  puzzle.problem.goal = labels[n - 1];
  return puzzle;
}

namespace {

// Calls f with every mention of a node.
template <class SomePuzzle, class F>
void for_nodes(SomePuzzle& puzzle, F&& f) {
  for (auto* edges : {&puzzle.problem.edges, &puzzle.path})
    for (auto& edge : *edges) {
      f(edge.from);
      f(edge.to);
    }
  f(puzzle.problem.start);
  f(puzzle.problem.goal);
}

// Names 0 .. 2 * nodes - 1, of which a chain of `nodes` uses all but one; or more, in a puzzle
// that somebody else has made.
std::size_t names_of(const Puzzle& puzzle) {
  std::size_t names = 2 * (puzzle.path.size() + 1);
  for_nodes(puzzle, [&](int node) { names = std::max(names, static_cast<std::size_t>(node) + 1); });
  return names;
}

}  // namespace

Puzzle relabelled(Puzzle puzzle, Stream& random) {
  std::vector<int> name(names_of(puzzle));
  std::iota(name.begin(), name.end(), 0);
  random.shuffle(std::span<int>(name));
  for_nodes(puzzle, [&](int& node) { node = name[static_cast<std::size_t>(node)]; });
  random.shuffle(std::span<Edge>(puzzle.problem.edges));
  return puzzle;
}

std::size_t longest_copy(const Puzzle& puzzle) {
  std::map<int, std::size_t> times;  // that a node is named
  for_nodes(puzzle, [&](int node) { ++times[node]; });
  std::size_t length = render(puzzle.problem).size() + render(puzzle.path).size();
  std::vector<std::size_t> counts;
  for (const auto& [node, count] : times) {
    counts.push_back(count);
    length -= count * std::to_string(node).size();
  }
  std::sort(counts.rbegin(), counts.rend());
  std::size_t name = names_of(puzzle);
  for (const std::size_t count : counts) length += count * std::to_string(--name).size();
  return length;
}

std::string canonical_form(Problem problem) {
  std::sort(problem.edges.begin(), problem.edges.end());
  return render(problem);
}

}  // namespace mgdm::tasks::planning
