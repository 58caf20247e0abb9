#include "tasks/countdown/stream_of_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "base/text.h"
#include "tasks/countdown/search.h"

namespace mgdm::tasks::countdown {
namespace {

class Estimate {
 public:
  Estimate(Heuristic heuristic, Number target) : heuristic_(heuristic), target_(target) {
    if (heuristic == Heuristic::kSum) return;
    for (Number n = 0; n < target; ++n) {
      Number nearest = target - n;
      for (Number factor = 2; factor < target; ++factor)
        if (target % factor == 0) nearest = std::min(nearest, std::abs(n - factor));
      to_factor_.push_back(nearest);
    }
  }

  Number distance(Number n) const {
    if (n >= target_) return n - target_;
    return heuristic_ == Heuristic::kSum ? target_ - n : to_factor_[static_cast<std::size_t>(n)];
  }

  // The heuristic of `count` numbers whose distances add up to `sum`; exact, as in Python.
  double of(Number sum, std::size_t count) const {
    const auto total = static_cast<double>(sum);
    return heuristic_ == Heuristic::kSum ? total / static_cast<double>(count) : total;
  }

 private:
  Heuristic heuristic_;
  Number target_;
  std::vector<Number> to_factor_;  // by number below the target
};

struct Node {
  std::array<Number, kMaxNumbers> numbers{};
  std::size_t count = 0;
  double estimate = 0;
  Equation operation;  // that made it of its parent
  const Node* parent = nullptr;
  int child = 0;  // which one of its parent's

  std::span<const Number> all() const { return std::span(numbers).first(count); }
};

// The lines of a trace.
class Writer {
 public:
  explicit Writer(Number target) : target_(target) {}

  void state(const Node& node) {
    write("Current State: {}:[{}], Operations: [", target_, joined_by(node.all(), ", "));
    write_operations(node);
    text_ += "]\n";
  }

  void exploring(const Node& node) {
    write("Exploring Operation: {}, Resulting Numbers: [{}]\n", render(node.operation),
          joined_by(node.all(), ", "));
  }

  void generated(const Node& node) {
    text_ += "Generated Node #";
    write_name(node);
    write(": {}:[{}] Operation: {}\n", target_, joined_by(node.all(), ", "),
          render(node.operation));
  }

  void moving(const Node& node) {
    text_ += "Moving to Node #";
    write_name(node);
    text_ += '\n';
  }

  void leaf(const Node& node) {
    const Number number = node.numbers[0];
    write("{},{} {}\n", number, target_,
          number == target_ ? "equal: Goal Reached" : "unequal: No Solution");
  }

  void failed() { text_ += "No solution found."; }

  std::string take() { return std::move(text_); }

 private:
  template <class... Values>
  void write(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
  }

  // "0,2,1": the root's third child's second.
  void write_name(const Node& node) {
    if (node.parent != nullptr) {
      write_name(*node.parent);
      text_ += ',';
    }
    write("{}", node.child);
  }

  void write_operations(const Node& node) {
    if (node.parent == nullptr) return;
    write_operations(*node.parent);
    write("{}'{}'", node.parent->parent == nullptr ? "" : ", ", render(node.operation));
  }

  Number target_;
  std::string text_;
};

class Search {
 public:
  // Without a writer nothing is written.
  Search(const Problem& problem, Heuristic heuristic, Writer* writer)
      : target_(problem.target), estimate_(heuristic, problem.target), writer_(writer) {
    std::copy(problem.numbers.begin(), problem.numbers.end(), root_.numbers.begin());
    root_.count = problem.numbers.size();
  }

  int explored() const { return explored_; }

  // Both: whether the target was reached.

  bool breadth_first(std::size_t beam, PythonRandom& random) {
    std::vector<Node> nodes;  // all that are ever open; they stay where they are
    nodes.reserve(most_nodes(beam));
    PythonHeap<Open> open;
    open.push({&root_});
    std::vector<const Node*> current;
    std::vector<Node> kept;
    while (!open.empty()) {
      current.clear();
      while (!open.empty() && current.size() < beam) current.push_back(open.pop().node);
      for (const Node* node : current) {
        if (node != &root_) moving(*node);
        state(*node);
        successors(*node, beam, std::numeric_limits<double>::max(), kept);
        random.shuffle(std::span(kept));
        int child = 0;
        for (Node& next : kept) {
          next.child = child;
          if (arrive(next)) return true;
          if (next.count > 1) ++child;  // else the next one gets the same name
        }
        std::stable_sort(kept.begin(), kept.end(), nearer);
        for (const Node& next : kept) open.push({&nodes.emplace_back(next)});
      }
    }
    if (writer_ != nullptr) writer_->failed();
    return false;
  }

  bool depth_first() { return depth_first_from(root_); }

 private:
  struct Open {
    const Node* node = nullptr;
    bool operator<(const Open& other) const { return nearer(*node, *other.node); }
  };

  static bool nearer(const Node& a, const Node& b) { return a.estimate < b.estimate; }

  std::size_t most_nodes(std::size_t beam) const {
    std::size_t all = 0, level = 1;
    for (std::size_t left = root_.count; left > 1; --left) all += level *= beam;
    return all;
  }

  bool depth_first_from(const Node& node) {
    state(node);
    std::vector<Node> next;
    successors(node, std::numeric_limits<std::size_t>::max(), static_cast<double>(target_), next);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (i > 0) {
        moving(node);
        state(node);
      }
      next[i].child = static_cast<int>(i);
      if (arrive(next[i])) return true;
      if (next[i].count == 1) continue;
      moving(next[i]);
      if (depth_first_from(next[i])) return true;
    }
    return false;
  }

  // The successors of a node no farther than `farthest`, the nearest first and at most `limit`; of
  // equal ones the first comes first.
  void successors(const Node& node, std::size_t limit, double farthest, std::vector<Node>& kept) {
    kept.clear();
    Number sum = 0;
    for (const Number n : node.all()) sum += estimate_.distance(n);
    for (std::size_t i = 0; i < node.count; ++i)
      for (std::size_t j = i + 1; j < node.count; ++j) {
        const Number a = node.numbers[i], b = node.numbers[j];
        const Number others = sum - estimate_.distance(a) - estimate_.distance(b);
        for_each_result(a, b, [&](const Equation& equation) {
          const double estimate =
              estimate_.of(others + estimate_.distance(equation.z), node.count - 1);
          if (estimate > farthest) return false;
          if (kept.size() == limit && estimate >= kept.back().estimate) return false;
          if (kept.size() == limit) kept.pop_back();
          Node next;
          next.estimate = estimate;
          for (std::size_t m = 0; m < node.count; ++m)
            if (m != i && m != j) next.numbers[next.count++] = node.numbers[m];
          next.numbers[next.count++] = equation.z;
          next.operation = equation;
          next.parent = &node;
          kept.insert(std::upper_bound(kept.begin(), kept.end(), next, nearer), next);
          return false;
        });
      }
  }

  // Looks at a successor; whether it is the goal.
  bool arrive(const Node& node) {
    ++explored_;
    if (writer_ != nullptr) {
      writer_->exploring(node);
      if (node.count == 1)
        writer_->leaf(node);
      else
        writer_->generated(node);
    }
    return node.count == 1 && node.numbers[0] == target_;
  }

  void state(const Node& node) {
    if (writer_ != nullptr) writer_->state(node);
  }
  void moving(const Node& node) {
    if (writer_ != nullptr) writer_->moving(node);
  }

  const Number target_;
  const Estimate estimate_;
  Writer* const writer_;
  Node root_;
  int explored_ = 0;
};

}  // namespace

Trace trace_search(const Problem& problem, const SearchKind& kind, PythonRandom& random) {
  Writer writer(problem.target);
  Search search(problem, kind.heuristic, &writer);
  const bool reached = kind.beam == 0
                           ? search.depth_first()
                           : search.breadth_first(static_cast<std::size_t>(kind.beam), random);
  return {writer.take(), reached, search.explored()};
}

void draw_search(const Problem& problem, const SearchKind& kind, PythonRandom& random) {
  if (kind.beam == 0) return;  // depth first draws nothing
  Search search(problem, kind.heuristic, nullptr);
  search.breadth_first(static_cast<std::size_t>(kind.beam), random);
}

}  // namespace mgdm::tasks::countdown
