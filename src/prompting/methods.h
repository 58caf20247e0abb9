// The four ways of prompting that the paper compares with: IO, chain of thought (CoT), CoT with
// self-consistency, Tree of Thoughts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
#include "prompting/chat.h"
#include "prompting/game24.h"

namespace mgdm::prompting {

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
