#include "tasks/planning/released.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/python_random.h"
#include "formats/jsonl.h"
#include "tasks/planning/problem.h"

namespace mgdm::tasks::planning {
namespace {

constexpr std::size_t kTest = 1000, kTrain = 1000000;
constexpr std::size_t kNodes = kReleasedNodes;

// The nodes of one chain, then those of the other. A million of them are kept: one byte each.
struct Graph {
  std::array<std::uint8_t, 2 * kNodes> nodes{};

  Edge edge(std::size_t from) const { return {nodes[from], nodes[from + 1]}; }
};

// Numbers but 0 that were seen: a million of them, in a table twice as large. (A node of its own
// for each takes longer than all that is drawn.)
class Seen {
 public:
  // Whether it was not there before.
  bool insert(std::uint64_t number) {
    std::size_t place = (number * 0x9E3779B97F4A7C15u) >> (64 - kBits);
    while (table_[place] != 0) {
      if (table_[place] == number) return false;
      place = (place + 1) % table_.size();
    }
    table_[place] = number;
    return true;
  }

 private:
  static constexpr int kBits = 21;
  static_assert((std::size_t{1} << kBits) > 2 * (kTest + kTrain));
  std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(std::size_t{1} << kBits);
};

// Draws graphs whose nodes stand in an order that was not there before, wherever they cross.
class Graphs {
 public:
  explicit Graphs(PythonRandom& random) : random_(random) {}

  void draw(std::size_t count, std::vector<Graph>& graphs) {
    std::array<std::uint8_t, 2 * kNodes> order{};
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    while (count > 0) {
      const auto crossing = static_cast<std::size_t>(random_.randint(0, kNodes - 1));
      random_.shuffle(std::span<std::uint8_t>(order));
      if (!seen_.insert(packed(order))) continue;
      Graph& graph = graphs.emplace_back(Graph{order});
      graph.nodes[kNodes + crossing] = graph.nodes[crossing];
      if (--count % 1024 == 0) stop_if_interrupted();
    }
  }

 private:
  static std::uint64_t packed(std::span<const std::uint8_t> order) {
    std::uint64_t all = 0;
    for (const std::uint8_t node : order) all = all << 4 | node;
    return all;
  }

  PythonRandom& random_;
  Seen seen_;
};

// The program drew the graphs of both files, then shuffled the edges of the test's lines and then
// those of the training lines.
class ReleasedPlanning : public Released {
 public:
  explicit ReleasedPlanning(Split split) : split_(split) {}

  std::size_t passed_over() const override { return split_ == Split::kTest ? 0 : kTest; }

  std::size_t size() const override { return split_ == Split::kTest ? kTest : kTrain; }

  bool goes_on() const override { return false; }

  Example next() override {
    MGDM_CHECK(made_ < passed_over() + size());
    if (made_ == 0) draw_graphs();
    const Graph& graph = graphs_[made_++];
    path_.clear();
    for (std::size_t i = 0; i + 1 < kNodes; ++i) path_.push_back(graph.edge(i));
    Problem problem{path_, graph.nodes[0], graph.nodes[kNodes - 1]};
    for (std::size_t i = 0; i + 1 < kNodes; ++i) problem.edges.push_back(graph.edge(kNodes + i));
    random_.shuffle(std::span(problem.edges));
    example_ = {render(problem), render(path_)};
    return example_;
  }

  std::string line() const override {
    return formats::jsonl_line({{"input", example_.input},
                                {"output", example_.output},
                                {"reversed", render(reversed(path_))}});
  }

 private:
  void draw_graphs() {
    graphs_.reserve(kTest + kTrain);
    Graphs graphs(random_);
    graphs.draw(kTest, graphs_);
    graphs.draw(kTrain, graphs_);
  }

  const Split split_;
  PythonRandom random_{1};
  std::vector<Graph> graphs_;
  std::size_t made_ = 0;

  // The last example.
  Example example_;
  std::vector<Edge> path_;
};

}  // namespace

std::unique_ptr<Released> make_released(Split split) {
  return std::make_unique<ReleasedPlanning>(split);
}

}  // namespace mgdm::tasks::planning
