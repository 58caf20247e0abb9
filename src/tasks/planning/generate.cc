#include "tasks/planning/generate.h"

#include <algorithm>
#include <array>
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

Puzzle twin(Puzzle puzzle, Stream& random) {
  // Names 0 .. 2 * nodes - 1, of which a stream of `nodes` uses all but one.
  const std::size_t names = 2 * (puzzle.path.size() + 1);
  std::vector<int> name(std::max(names, std::size_t{2 * kMaxNodes}));
  std::iota(name.begin(), name.end(), 0);
  random.shuffle(std::span<int>(name).first(names));
  const auto rename = [&](int& node) { node = name[static_cast<std::size_t>(node)]; };
  for (std::vector<Edge>* edges : {&puzzle.problem.edges, &puzzle.path})
    for (Edge& edge : *edges) {
      rename(edge.from);
      rename(edge.to);
    }
  rename(puzzle.problem.start);
  rename(puzzle.problem.goal);
  random.shuffle(std::span<Edge>(puzzle.problem.edges));
  return puzzle;
}

std::string canonical_form(Problem problem) {
  std::sort(problem.edges.begin(), problem.edges.end());
  return render(problem);
}

}  // namespace mgdm::tasks::planning
