#include "evaluation/evaluate.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "evaluation/score_report.h"
#include "inference/solve.h"

namespace mgdm::evaluation {
namespace {

// How many puzzles the rest of the time is good for, by the speed so far; a few to begin with.
std::size_t likely_done(std::size_t done, double spent, double limit) {
  constexpr std::size_t kFirst = 4;  // a large network on a CPU takes seconds for each
  if (done == 0) return kFirst;
  const double likely = static_cast<double>(done) * (limit / spent - 1);
  return static_cast<std::size_t>(std::clamp(likely, 1.0, 1e9));
}

using Answers = std::vector<std::optional<FirstAndBest>>;

// About the examples before the first that has no answer.
Evaluation evaluation_of(const tasks::Task& task, std::span<const tasks::Example> examples,
                         Answers answers, double seconds) {
  Evaluation result;
  result.seconds = seconds;
  for (std::size_t i = 0; i < answers.size() && answers[i]; ++i) {
    FirstAndBest& answer = *answers[i];
    result.score.add(task, examples[i], answer.first.text);
    result.best.add(task, examples[i], answer.best.text);
    result.forward_passes += static_cast<double>(answer.first.passes);
    result.best_forward_passes += static_cast<double>(answer.best.passes);
    result.answers.push_back(std::move(answer));
  }
  if (result.answers.empty()) return result;
  const auto n = static_cast<double>(result.answers.size());
  result.forward_passes /= n;
  result.best_forward_passes /= n;
  if (seconds > 0) result.samples_per_second = n / seconds;
  return result;
}

}  // namespace

Evaluation evaluate(const inference::LoadedModel& model, std::span<const tasks::Example> examples,
                    const decoding::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress, double limit,
                    PartialEvaluation partial) {
  using Clock = std::chrono::steady_clock;
  std::vector<inference::Prepared> puzzles;
  for (const tasks::Example& example : examples) {
    model.rows().check_room(example);
    puzzles.push_back(model.prepare(example.input));
  }
  const std::size_t first = partial.answers.size();
  MGDM_CHECK(first <= examples.size());
  Answers answers(std::make_move_iterator(partial.answers.begin()),
                  std::make_move_iterator(partial.answers.end()));
  answers.resize(examples.size());
  if (progress && first > 0) progress(first);

  const std::size_t enough = model.network().enough;
  const auto began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const auto measured = [&] {
    Evaluation result =
        evaluation_of(model.task(), examples, std::move(answers), partial.seconds + seconds());
    result.symmetries = settings.symmetries;
    return result;
  };
  try {
    std::size_t done = first;
    while (done < examples.size() && (limit == 0 || done == first || seconds() < limit)) {
      std::size_t count = examples.size() - done;
      if (limit > 0) count = std::min(count, likely_done(done - first, seconds(), limit));
      inference::solve_each(model, std::span(puzzles).subspan(done, count),
                            static_cast<std::uint32_t>(done), settings,
                            std::min({static_cast<std::size_t>(batch), count, enough}),
                            [&](std::size_t i, inference::Solved&& solved) {
                              answers[done + i] = {std::move(solved.first), std::move(solved.best)};
                              if (progress) progress(1);
                            });
      done += count;
    }
  } catch (const Interrupted& why) {
    throw InterruptedEvaluation(why, measured());
  }
  return measured();
}

nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries) {
  nlohmann::ordered_json json = score_json(task, result.score);
  json["forward_passes"] = result.forward_passes;
  if (result.symmetries > 1) json["symmetries"] = result.symmetries;
  json["samples_per_second"] = result.samples_per_second;
  if (tries == 1) return json;
  const tasks::Tally& best = result.best.all;
  json["best_of_tries"] = {{"tries", tries},
                           {"accuracy", best.accuracy()},
                           {"accuracy_paper", number_or_null(best.accuracy_paper())},
                           {"stderr", best.standard_error()},
                           {"stderr_paper", number_or_null(best.standard_error_paper())},
                           {"forward_passes", result.best_forward_passes}};
  return json;
}

}  // namespace mgdm::evaluation
