// Evaluates a model on puzzles: both metrics, faults, passes and speed.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decoding/decoding_settings.h"
#include "inference/loaded_model.h"
#include "tasks/score.h"

namespace mgdm::evaluation {

// The answer to one example: of a single try, and of settings.tries tries.
struct FirstAndBest {
  inference::AnswerText first, best;
};

struct Evaluation {
  tasks::Score score;                 // of single tries
  std::vector<FirstAndBest> answers;  // in the order of the examples
  double forward_passes = 0;          // of a single try, mean per example
  std::int64_t symmetries = 1;        // views that voted; the passes are those of all of them
  tasks::Score best;                  // of the first verified answer among settings.tries
  double best_forward_passes = 0;     // of all the tries it took, mean per example
  double seconds = 0;                 // decoding only, with all tries
  double samples_per_second = 0;
};

// Ctrl-C ended an evaluation.
class InterruptedEvaluation : public Interrupted {
 public:
  explicit InterruptedEvaluation(const Interrupted& why, Evaluation measured)
      : Interrupted(why), first(std::move(measured)) {}

  const Evaluation first;  // of the first answers.size() examples
};

// The part of an evaluation that is done: answers to the first examples, and their seconds.
struct PartialEvaluation {
  std::vector<FirstAndBest> answers = {};
  double seconds = 0;
};

// progress(n) is called after every n examples. With a limit in seconds (0 = none) only as many
// puzzles are started as are likely to finish in time, but always a few; the result then covers the
// first answers.size() examples. It continues an earlier part, with the same result as in one go.
// Ctrl-C throws InterruptedEvaluation.
Evaluation evaluate(const inference::LoadedModel& model, std::span<const tasks::Example> examples,
                    const decoding::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress = {}, double limit = 0,
                    PartialEvaluation partial = {});

// score_json(), forward_passes, samples_per_second; symmetries if several variants voted. The
// results of repeated tries are apart, in best_of_tries: a verifier chose among them.
nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries);

}  // namespace mgdm::evaluation
