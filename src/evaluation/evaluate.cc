#include "evaluation/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/interrupt.h"
#include "compat/out_of_memory.h"

namespace mgdm::evaluation {

std::string less_memory(std::size_t puzzles) {
  if (puzzles <= 1) return "a smaller model, or a device with more memory";
  return fmt::format("--batch {} (evaluation.batch in a recipe)", puzzles / 2);
}

Evaluation evaluate(const Reasoner& reasoner, std::span<const tasks::Example> examples,
                    const spec::DecodingSettings& settings, std::int64_t batch,
                    const std::function<void(std::size_t)>& progress) {
  using Clock = std::chrono::steady_clock;
  Evaluation result;
  std::int64_t passes = 0, best_passes = 0;
  for (std::size_t begin = 0; begin < examples.size(); begin += static_cast<std::size_t>(batch)) {
    stop_if_interrupted();
    const std::size_t count = std::min(static_cast<std::size_t>(batch), examples.size() - begin);
    std::vector<std::string> inputs;
    for (const tasks::Example& example : examples.subspan(begin, count)) {
      reasoner.check_room(example);
      inputs.push_back(example.input);
    }
    std::vector<std::uint32_t> items(count);
    std::iota(items.begin(), items.end(), static_cast<std::uint32_t>(begin));

    const auto start = Clock::now();
    const std::vector<Answer> answers =
        compat::with_memory_for(fmt::format("{} puzzles at a time", count), less_memory(count),
                                [&] { return reasoner.answer(inputs, items, settings); });
    result.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    for (std::size_t i = 0; i < count; ++i) {
      passes += answers[i].forward_passes;
      best_passes += answers[i].best_passes;
      result.score.add(reasoner.task(), examples[begin + i], answers[i].text);
      result.best.add(reasoner.task(), examples[begin + i], answers[i].best);
      result.answers.push_back(answers[i].text);
    }
    if (progress) progress(count);
  }
  if (examples.empty()) return result;
  const auto n = static_cast<double>(examples.size());
  result.forward_passes = static_cast<double>(passes) / n;
  result.best_forward_passes = static_cast<double>(best_passes) / n;
  if (result.seconds > 0) result.samples_per_second = n / result.seconds;
  return result;
}

}  // namespace mgdm::evaluation
