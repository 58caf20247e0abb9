#include <fmt/format.h>

#include "base/error.h"
#include "mgdm/mgdm.h"
#include "tasks/judge.h"
#include "tasks/task.h"

namespace mgdm {

std::vector<std::string> task_names() { return tasks::task_names(); }

std::vector<Puzzle> generate(const std::string& task, std::size_t count, std::uint64_t seed,
                             bool test, std::uint32_t first) {
  constexpr std::uint64_t kItems = std::uint64_t{1} << 32;
  if (count > kItems - first)
    throw Error(fmt::format("{} puzzles from number {} on", count, first),
                fmt::format("first + count of at most {}, where the list ends", kItems));
  const auto maker = tasks::make_task(task);
  const auto split = test ? tasks::Split::kTest : tasks::Split::kTrain;
  std::vector<Puzzle> puzzles;
  puzzles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto [input, output] = maker->generate(seed, split, first + static_cast<std::uint32_t>(i));
    puzzles.push_back({std::move(input), std::move(output)});
  }
  return puzzles;
}

Judgement verify(const std::string& task, const Puzzle& puzzle, const std::string& answer) {
  const auto judge = tasks::make_task(task);
  const tasks::Example example{judge->normalize_input(puzzle.input), puzzle.solution};
  const tasks::Verdict verdict = tasks::judge(*judge, example, answer);
  Judgement judgement{verdict.correct, verdict.correct_paper, {}};
  if (!verdict.correct)
    for (tasks::Fault& fault : judge->explain(example, tasks::up_to_end(answer)))
      judgement.faults.push_back(std::move(fault.words));
  return judgement;
}

std::optional<std::string> solve_exactly(const std::string& task, const std::string& puzzle) {
  const auto solver = tasks::make_task(task);
  return solver->solve(solver->normalize_input(puzzle));
}

}  // namespace mgdm
