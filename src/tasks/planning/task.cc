#include <fmt/format.h>

#include <memory>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "tasks/family.h"
#include "tasks/planning/generate.h"
#include "tasks/planning/padding.h"
#include "tasks/planning/problem.h"
#include "tasks/planning/released.h"
#include "tasks/planning/verify.h"

namespace mgdm::tasks::planning {
namespace {

class Planning : public Task,
                 public Symmetries,
                 public Views,
                 public Padding,
                 public Reversible,
                 public Lookahead,
                 public ReleasedData {
 public:
  Planning(int nodes, bool learned) : nodes_(nodes), learned_(learned) {}

  std::string name() const override { return "planning"; }

  std::string about() const override {
    return "two chains of nodes cross at one node: walk the one that leads to the goal";
  }

  Abilities abilities() const override {
    return {.symmetries = this,
            .views = this,
            .padding = learned_ ? this : nullptr,
            .reversible = this,
            .lookahead = this,
            .released = nodes_ == kReleasedNodes ? this : nullptr};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    while (true) {
      const Puzzle puzzle = planning::generate(random, nodes_);
      if (in_test_split(canonical_form(puzzle.problem)) == (split == Split::kTest))
        return {render(puzzle.problem), render(puzzle.path)};
    }
  }

  std::unique_ptr<Released> released(Split split) const override { return make_released(split); }

  std::string normalize_input(std::string_view text) const override {
    return render(parse_problem(without_space_around(",/-", text)));
  }

  std::optional<std::string> unfamiliar(std::string_view input) const override {
    const Problem problem = parse_problem(input);
    if (!learned_ || planning::padded(problem, edges(), names())) return std::nullopt;
    if (problem.edges.size() == edges()) return std::nullopt;
    return fmt::format("{} {} not the {}", problem.edges.size(),
                       problem.edges.size() == 1 ? "edge is" : "edges are", edges());
  }

  std::optional<Padded> padded(std::string_view input) const override {
    const auto larger = planning::padded(parse_problem(input), edges(), names());
    if (!larger || render(larger->problem) == input) return std::nullopt;
    return Padded{render(larger->problem), [larger](const std::string& answer) {
                    const auto path = parse_edges(answer);
                    return path ? render(larger->own_path(*path)) : answer;
                  }};
  }

  std::optional<std::string> solve(std::string_view input) const override {
    const auto path = find_path(parse_problem(input));
    if (!path) return std::nullopt;
    return render(*path);
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    const Problem problem = parse_problem(example.input);
    return {correct(problem, answer), correct_as_released(example, answer)};
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    return planning::explain(parse_problem(example.input), answer);
  }

  Example augment(const Example& example, Stream& random) const override {
    Puzzle other = solved(example);
    do other = relabelled(std::move(other), random);
    while (in_test_split(canonical_form(other.problem)));
    return {render(other.problem), render(other.path)};
  }

  // Edges may stand in any order. Other names for nodes would change how long an answer is.
  View view(std::string_view input, Stream& random) const override {
    Problem problem = parse_problem(input);
    random.shuffle(std::span(problem.edges));
    return {render(problem)};
  }

  std::size_t longest_copy(const Example& example) const override {
    return planning::longest_copy(solved(example));
  }

  std::string reversed_output(std::string_view output) const override {
    return render(reversed(path_of(output)));
  }

  int planning_distance(const Example& example) const override {
    const Problem problem = parse_problem(example.input);
    return planning::planning_distance(problem, label_of(problem, example));
  }

  std::optional<std::size_t> hard_subgoal(const Example& example) const override {
    const Problem problem = parse_problem(example.input);
    return place_of_choice(problem, label_of(problem, example));
  }

 private:
  static std::vector<Edge> path_of(std::string_view output) {
    const auto path = parse_edges(output);
    if (!path)
      throw Error(fmt::format("{} is not a path", in_quotes(output)), "edges a,b separated by '/'");
    return *path;
  }

  // The path that is written down, or else the one that there is.
  static std::vector<Edge> label_of(const Problem& problem, const Example& example) {
    auto path = example.output.empty() ? find_path(problem) : parse_edges(example.output);
    if (!path) throw Error(fmt::format("no path in the label of {}", in_quotes(example.input)));
    return *std::move(path);
  }

  static Puzzle solved(const Example& example) {
    return {parse_problem(example.input), path_of(example.output)};
  }

  // The path, or the path walked backwards.
  bool correct_as_released(const Example& example, std::string_view answer) const {
    const std::string label =
        example.output.empty() ? solve(example.input).value_or("") : example.output;
    if (answer == label) return true;
    const auto walk = parse_edges(answer);
    return walk && render(reversed(*walk)) == label;
  }

  // Sizes of the puzzles that are drawn: a chain has one edge less than nodes, and the nodes of
  // both chains are named as if none were common.
  std::size_t edges() const { return 2 * (static_cast<std::size_t>(nodes_) - 1); }
  int names() const { return 2 * nodes_; }

  const int nodes_;
  const bool learned_;  // puzzles of other sizes are unfamiliar
};

struct Options {
  std::int64_t nodes = kReleasedNodes;

  void visit(config::Visitor& v) {
    v.field("nodes", nodes, "planning: nodes per chain", config::range(kMinNodes, kMaxNodes));
  }
};

Family planning_family() {
  Family family{.name = "planning", .tasks = {"planning"}, .kinds = {}};
  for (int nodes = kReleasedNodes; nodes >= 3; --nodes)
    family.kinds.push_back({fmt::format("nodes={}", nodes)});
  family.faults = [](std::string_view) -> FaultWords {
    return {{"wrong branch", "illegal edge", "broken chain", "stops short", "malformed answer"}};
  };
  return with_options<Options>(
      std::move(family), [](std::string_view, const Options& options, bool learned) {
        return std::make_unique<Planning>(static_cast<int>(options.nodes), learned);
      });
}

}  // namespace

const Family& family() {
  static const Family kFamily = planning_family();
  return kFamily;
}

}  // namespace mgdm::tasks::planning
