#include "evaluation/evaluate.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace mgdm::evaluation {
namespace {

// How many puzzles the rest of the time is good for, by the speed so far; a few to begin with.
std::size_t likely_done(std::size_t done, double spent, double limit) {
  constexpr std::size_t kFirst = 4;  // a large network on a CPU takes seconds for each
  if (done == 0) return kFirst;
  const double likely = static_cast<double>(done) * (limit / spent - 1);
  return static_cast<std::size_t>(std::clamp(likely, 1.0, 1e9));
}

}  // namespace

Evaluation evaluate(const inference::Reasoner& reasoner, std::span<const tasks::Example> examples,
                    const spec::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress, double limit, Begun begun) {
  using Clock = std::chrono::steady_clock;
  Evaluation result;
  result.symmetries = settings.symmetries;
  std::vector<std::string> inputs;
  for (const tasks::Example& example : examples) {
    reasoner.rows().check_room(example);
    inputs.push_back(example.input);
  }
  std::vector<std::uint32_t> items(examples.size());
  std::iota(items.begin(), items.end(), 0u);
  const std::size_t first = begun.answers.size();
  MGDM_CHECK(first <= examples.size());
  std::vector<inference::Answer> answers = std::move(begun.answers);
  answers.resize(examples.size());
  if (progress && first > 0) progress(first);

  const auto began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  std::size_t done = first;
  while (done < examples.size() && (limit == 0 || done == first || seconds() < limit)) {
    std::size_t count = examples.size() - done;
    if (limit > 0) count = std::min(count, likely_done(done - first, seconds(), limit));
    reasoner.answer(std::span(inputs).subspan(done, count), std::span(items).subspan(done, count),
                    settings, std::min(static_cast<std::size_t>(batch), count),
                    [&](inference::Reasoner::Answers&& some) {
                      for (auto& [i, answer] : some) answers[done + i] = std::move(answer);
                      if (progress) progress(some.size());
                    });
    done += count;
  }
  result.seconds = begun.seconds + seconds();
  if (done == 0) return result;
  for (std::size_t i = 0; i < done; ++i) {
    result.score.add(reasoner.task(), examples[i], answers[i].text);
    result.best.add(reasoner.task(), examples[i], answers[i].best);
    result.forward_passes += static_cast<double>(answers[i].forward_passes);
    result.best_forward_passes += static_cast<double>(answers[i].best_passes);
    result.answers.push_back(std::move(answers[i]));
  }
  const auto n = static_cast<double>(done);
  result.forward_passes /= n;
  result.best_forward_passes /= n;
  if (result.seconds > 0) result.samples_per_second = n / result.seconds;
  return result;
}

}  // namespace mgdm::evaluation
