// Mean cross entropy and accuracy of single tokens, by noise level t and by position n in the
// answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tasks/task.h"

namespace mgdm::evaluation {

struct TokenLosses {
  double loss_sum = 0;  // nats
  double right = 0, count = 0;

  void add(double loss, bool is_right) {
    loss_sum += loss;
    right += is_right ? 1 : 0;
    count += 1;
  }
  void add(const TokenLosses& other) {
    loss_sum += other.loss_sum;
    right += other.right;
    count += other.count;
  }
  // Not a number where nothing was counted.
  double loss() const { return loss_sum / count; }
  double accuracy() const { return right / count; }
};

class LossTable {
 public:
  LossTable(std::size_t levels, std::size_t positions)
      : positions_(positions), cells_(levels * positions) {}

  std::size_t levels() const { return cells_.size() / positions_; }
  std::size_t positions() const { return positions_; }

  TokenLosses& at(std::size_t level, std::size_t position) {
    return cells_[level * positions_ + position];
  }
  const TokenLosses& at(std::size_t level, std::size_t position) const {
    return cells_[level * positions_ + position];
  }

  // Sums over tokens, so that each token weighs the same.
  TokenLosses of_level(std::size_t level) const {
    TokenLosses sum;
    for (std::size_t n = 0; n < positions_; ++n) sum.add(at(level, n));
    return sum;
  }
  TokenLosses of_position(std::size_t position) const {
    TokenLosses sum;
    for (std::size_t t = 0; t < levels(); ++t) sum.add(at(t, position));
    return sum;
  }
  TokenLosses all() const {
    TokenLosses sum;
    for (const TokenLosses& cell : cells_) sum.add(cell);
    return sum;
  }

 private:
  std::size_t positions_;
  std::vector<TokenLosses> cells_;
};

// The losses at one position of each example, its hard subgoal (tasks/task.h); examples without one
// are not counted.
struct SubgoalLosses {
  std::vector<TokenLosses> by_level;  // where it is noised
  // Absorbing diffusion only: the loss at the masked subgoal when the rest of the answer is shown
  // "before" it, "after" it, on "both" sides or "nothing" is shown.
  std::map<std::string, TokenLosses> by_context;
};

struct Losses {
  LossTable noised;
  // Absorbing diffusion only, one level: -log p(x_n | x_1 .. x_{n-1}) with everything from n on
  // masked, the loss of an autoregressive model. [PAD]s are not counted.
  std::optional<LossTable> left_to_right;
  SubgoalLosses at_subgoal;
};

struct LossProfile {
  Losses all;
  std::map<int, Losses> by_planning_distance;  // planning only
};

// Which losses to measure.
struct LossRequest {
  std::string model;  // its folder
  std::vector<tasks::Example> puzzles;
  std::int64_t levels = 20;  // of noise
  std::int64_t samples = 1;  // noised copies of every puzzle at every level
  std::int64_t seed = 1, batch = 256;
  std::string device = "auto";
  int threads = 0;
  bool quiet = false;
};

// A row per noise level, then the hardest positions: Markdown.
std::string loss_text(const std::string& task, const evaluation::LossProfile& profile);

// docs/formats.md has the members. Cells in which nothing was counted are null.
nlohmann::ordered_json loss_json(const std::string& task, std::size_t examples,
                                 const evaluation::LossProfile& profile);

// The loss against the noise level, or against the position in the answer, as SVG; one curve per
// planning distance where there are several.
enum class Axis { kLevel, kPosition };
std::string loss_figure(const std::string& task, const evaluation::LossProfile& profile, Axis axis);

}  // namespace mgdm::evaluation
