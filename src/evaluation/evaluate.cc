#include "evaluation/evaluate.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace mgdm::evaluation {

Evaluation evaluate(const inference::Reasoner& reasoner, std::span<const tasks::Example> examples,
                    const spec::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress) {
  using Clock = std::chrono::steady_clock;
  Evaluation result;
  if (examples.empty()) return result;
  std::vector<std::string> inputs;
  for (const tasks::Example& example : examples) {
    reasoner.rows().check_room(example);
    inputs.push_back(example.input);
  }
  std::vector<std::uint32_t> items(examples.size());
  std::iota(items.begin(), items.end(), 0u);
  result.answers.resize(examples.size());
  std::vector<std::string> best(examples.size());
  double passes = 0, best_passes = 0;

  const auto start = Clock::now();
  reasoner.answer(inputs, items, settings,
                  std::min(static_cast<std::size_t>(batch), examples.size()),
                  [&](inference::Reasoner::Answers some) {
                    for (auto& [i, answer] : some) {
                      passes += static_cast<double>(answer.forward_passes);
                      best_passes += static_cast<double>(answer.best_passes);
                      result.answers[i] = std::move(answer.text);
                      best[i] = std::move(answer.best);
                    }
                    if (progress) progress(some.size());
                  });
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    result.score.add(reasoner.task(), examples[i], result.answers[i]);
    result.best.add(reasoner.task(), examples[i], best[i]);
  }
  const auto n = static_cast<double>(examples.size());
  result.forward_passes = passes / n;
  result.best_forward_passes = best_passes / n;
  if (result.seconds > 0) result.samples_per_second = n / result.seconds;
  return result;
}

}  // namespace mgdm::evaluation
