#include "tasks/planning/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks::planning {
namespace {

constexpr int kNodeLimit = 2 * kMaxNodes;
constexpr std::size_t kMaxEdges = 2 * kMaxNodes;

std::optional<int> take_node(std::string_view& text) {
  int node = 0;
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') {
    node = 10 * node + (text[length++] - '0');
    if (node >= kNodeLimit) return std::nullopt;
  }
  if (length == 0 || (length > 1 && text[0] == '0')) return std::nullopt;
  text.remove_prefix(length);
  return node;
}

std::optional<Edge> take_edge(std::string_view& text) {
  const auto from = take_node(text);
  if (!from || !text.starts_with(',')) return std::nullopt;
  text.remove_prefix(1);
  const auto to = take_node(text);
  if (!to) return std::nullopt;
  return Edge{*from, *to};
}

void append(std::string& out, const Edge& edge) {
  out += std::to_string(edge.from);
  out += ',';
  out += std::to_string(edge.to);
}

}  // namespace

std::optional<std::vector<Edge>> parse_edges(std::string_view text) {
  std::vector<Edge> edges;
  edges.reserve(16);
  while (true) {
    const auto edge = take_edge(text);
    if (!edge || edges.size() == kMaxEdges) return std::nullopt;
    edges.push_back(*edge);
    if (text.empty()) return edges;
    if (!text.starts_with('/')) return std::nullopt;
    text.remove_prefix(1);
  }
}

Problem parse_problem(std::string_view input) {
  const std::size_t dash = input.find('-');
  if (dash != std::string_view::npos) {
    auto edges = parse_edges(input.substr(0, dash));
    std::string_view rest = input.substr(dash + 1);
    const auto query = take_edge(rest);
    if (edges && query && rest.empty()) {
      if (query->from == query->to)
        throw Error(fmt::format("{} starts at its goal", in_quotes(input)),
                    "a start and a goal that differ");
      return {std::move(*edges), query->from, query->to};
    }
  }
  throw Error(fmt::format("{} is not a planning puzzle", in_quotes(input)),
              fmt::format("edges a,b separated by '/', then -start,goal, with nodes 0..{}",
                          kNodeLimit - 1));
}

std::string render(const std::vector<Edge>& edges) {
  std::string out;
  for (const Edge& edge : edges) {
    if (!out.empty()) out += '/';
    append(out, edge);
  }
  return out;
}

std::string render(const Problem& problem) {
  std::string out = render(problem.edges) + '-';
  append(out, {problem.start, problem.goal});
  return out;
}

std::vector<Edge> reversed(const std::vector<Edge>& path) {
  std::vector<Edge> back(path.rbegin(), path.rend());
  for (Edge& edge : back) std::swap(edge.from, edge.to);
  return back;
}

std::optional<std::vector<Edge>> find_path(const Problem& problem) {
  // arrived[n]: the edge by which the walk first came to n.
  std::array<const Edge*, kNodeLimit> arrived{};
  std::vector<int> open{problem.start};
  while (!open.empty() && arrived[static_cast<std::size_t>(problem.goal)] == nullptr) {
    const int node = open.back();
    open.pop_back();
    for (const Edge& edge : problem.edges) {
      if (edge.from != node || edge.to == problem.start) continue;
      const Edge*& by = arrived[static_cast<std::size_t>(edge.to)];
      if (by != nullptr) continue;
      by = &edge;
      open.push_back(edge.to);
    }
  }
  std::vector<Edge> path;
  for (int node = problem.goal; node != problem.start; node = path.back().from) {
    const Edge* const by = arrived[static_cast<std::size_t>(node)];
    if (by == nullptr) return std::nullopt;
    path.push_back(*by);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<std::size_t> place_of_choice(const Problem& problem, const std::vector<Edge>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto other = std::ranges::find_if(problem.edges, [&](const Edge& edge) {
      return edge.from == path[i].from && edge.to != path[i].to;
    });
    if (other == problem.edges.end()) continue;
    std::vector<Edge> right(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    std::vector<Edge> wrong = right;
    wrong.back() = *other;
    const std::string text = render(right), detour = render(wrong);
    const auto parted = std::mismatch(text.begin(), text.end(), detour.begin(), detour.end());
    return static_cast<std::size_t>(parted.first - text.begin());
  }
  return std::nullopt;
}

int planning_distance(const Problem& problem, const std::vector<Edge>& path) {
  const auto nodes_after = [&](std::size_t i) { return static_cast<int>(path.size() - i); };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto leaving = std::count_if(problem.edges.begin(), problem.edges.end(),
                                       [&](const Edge& e) { return e.from == path[i].from; });
    if (leaving >= 2) return nodes_after(i);
  }
  return 0;
}

}  // namespace mgdm::tasks::planning
