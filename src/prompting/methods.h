// The four ways of prompting that the paper compares with: IO, chain of thought (CoT), CoT with
// self-consistency, Tree of Thoughts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
#include "prompting/chat.h"
#include "prompting/game24.h"

namespace mgdm::prompting {

// Tree of Thoughts (Yao et al. 2023) as a breadth-first search over partial solutions: the model
// scores each, and a beam of the best is kept.
//
// The search sees the model only as a Thinker, so tests need no model.

// Steps so far, and the numbers that are left after them.
struct Thought {
  std::vector<std::string> steps;  // "2 * 6 = 12 (left: 4 12 5)"
  std::vector<std::string> left;
  double value = 0;
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  // Proposes next steps from these numbers; each leaves one number less.
  virtual std::vector<Step> propose(const std::vector<std::string>& numbers) = 0;
  // Scores a set of numbers; higher is better.
  virtual double value(const std::vector<std::string>& numbers) = 0;
};

// Expands every kept thought, scores every new one, and keeps the `beam` best (among equals the
// earlier) until one number is left. Equal steps are kept once. Returns the best first; empty when
// nothing was proposed.
std::vector<Thought> search_thoughts(Thinker& thinker, std::vector<std::string> numbers,
                                     std::size_t beam);

struct MethodSettings {
  std::string method = "io";
  std::string model;
  std::int64_t samples = 0;  // 0: the paper's, 1 for io and cot, 100 for cot-sc
  std::int64_t beam = 5, votes = 3;
  double temperature = 0.7;
  std::int64_t max_tokens = 1000;
  std::int64_t choices = 1;

  void visit(config::Visitor& v);
};

// Fills in `samples`. UsageError when a setting has no effect with the method.
MethodSettings resolved(MethodSettings settings);

struct Outcome {
  // io, cot: of each sample. cot-sc: the one that most samples gave, then the others by votes. tot:
  // the best valued first. An empty one: no answer was given.
  std::vector<std::string> answers;
  double right =
      0;  // io, cot: the fraction of right samples; else 1 when the first answer is right
  bool any = false;  // whether one of the answers is right
  Usage usage;       // of all that was asked for it, whether paid now or earlier
  bool operator==(const Outcome&) const = default;
};

// Plays one game; the settings come from resolved().
Outcome play(ChatModel& model, const Game24& game, const MethodSettings& settings);

}  // namespace mgdm::prompting
