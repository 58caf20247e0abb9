#include "evaluation/evaluate.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace mgdm::evaluation {
namespace {

// How many puzzles the rest of the time is good for, by the speed so far; a few to begin with.
std::size_t likely_done(std::size_t done, double spent, double limit) {
  constexpr std::size_t kFirst = 4;  // a large network on a CPU takes seconds for each
  if (done == 0) return kFirst;
  const double likely = static_cast<double>(done) * (limit / spent - 1);
  return static_cast<std::size_t>(std::clamp(likely, 1.0, 1e9));
}

using Answers = std::vector<std::optional<inference::Answer>>;

// About the examples before the first that has no answer.
Evaluation evaluation_of(const tasks::Task& task, std::span<const tasks::Example> examples,
                         Answers answers, double seconds) {
  Evaluation result;
  result.seconds = seconds;
  for (std::size_t i = 0; i < answers.size() && answers[i]; ++i) {
    inference::Answer& answer = *answers[i];
    result.score.add(task, examples[i], answer.text);
    result.best.add(task, examples[i], answer.best);
    result.forward_passes += static_cast<double>(answer.forward_passes);
    result.best_forward_passes += static_cast<double>(answer.best_passes);
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

Evaluation evaluate(const inference::Reasoner& reasoner, std::span<const tasks::Example> examples,
                    const spec::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress, double limit, Begun begun) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> inputs;
  for (const tasks::Example& example : examples) {
    reasoner.rows().check_room(example);
    inputs.push_back(example.input);
  }
  std::vector<std::uint32_t> items(examples.size());
  std::iota(items.begin(), items.end(), 0u);
  const std::size_t first = begun.answers.size();
  MGDM_CHECK(first <= examples.size());
  Answers answers(std::make_move_iterator(begun.answers.begin()),
                  std::make_move_iterator(begun.answers.end()));
  answers.resize(examples.size());
  if (progress && first > 0) progress(first);

  const std::size_t enough = reasoner.engine().enough();
  const auto began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const auto measured = [&] {
    Evaluation result =
        evaluation_of(reasoner.task(), examples, std::move(answers), begun.seconds + seconds());
    result.symmetries = settings.symmetries;
    return result;
  };
  try {
    std::size_t done = first;
    while (done < examples.size() && (limit == 0 || done == first || seconds() < limit)) {
      std::size_t count = examples.size() - done;
      if (limit > 0) count = std::min(count, likely_done(done - first, seconds(), limit));
      reasoner.answer(std::span(inputs).subspan(done, count), std::span(items).subspan(done, count),
                      settings, std::min({static_cast<std::size_t>(batch), count, enough}),
                      [&](inference::Reasoner::Answers&& some) {
                        for (auto& [i, answer] : some) answers[done + i] = std::move(answer);
                        if (progress) progress(some.size());
                      });
      done += count;
    }
  } catch (const Interrupted& why) {
    throw InterruptedEvaluation(why, measured());
  }
  return measured();
}

}  // namespace mgdm::evaluation
