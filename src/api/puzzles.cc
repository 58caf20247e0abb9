#include <fmt/format.h>

#include <utility>

#include "api/failure.h"
#include "api/looked_at.h"
#include "api/options.h"
#include "base/parallel.h"
#include "data/examples_file.h"
#include "mgdm/mgdm.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"

namespace mgdm {
namespace {

constexpr std::uint64_t kItems = std::uint64_t{1} << 32;  // in the list of a seed

std::vector<Puzzle> generated(const std::string& name, std::size_t count,
                              const GenerateOptions& options) {
  const tasks::Options of_task = api::checked(options);
  if (count > kItems - options.first)
    throw Error(fmt::format("{} puzzles from number {} on", count, options.first),
                fmt::format("first + count of at most {}, where the list ends", kItems));
  const auto task = tasks::make_task(name, of_task);
  const auto split = options.split == "test" ? tasks::Split::kTest : tasks::Split::kTrain;
  std::vector<Puzzle> puzzles(count);
  const auto make = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      tasks::Example example =
          task->generate(options.seed, split, options.first + static_cast<std::uint32_t>(i));
      puzzles[i] = {std::move(example.input), std::move(example.output)};
    }
    return end - begin;
  };
  if (options.threads == 1) {
    make(0, count);
  } else {
    constexpr std::size_t kChunk = 16;
    for_chunks<std::size_t>(count, kChunk, options.threads, make, [](std::size_t) {});
  }
  return puzzles;
}

Judgement judged(const std::string& name, const Puzzle& puzzle, const std::string& answer) {
  const auto task = tasks::make_task(name);
  const tasks::Example example{task->normalize_input(puzzle.input), puzzle.solution};
  const tasks::Verdict verdict = tasks::judge(*task, example, answer);
  Judgement judgement{verdict.correct, verdict.correct_paper, {}};
  if (!verdict.correct)
    for (tasks::Fault& fault : task->explain(example, tasks::up_to_end(answer)))
      judgement.faults.push_back(std::move(fault.words));
  return judgement;
}

}  // namespace

PuzzleCheck api::looked_at(const tasks::Task& task, const std::string& puzzle) {
  PuzzleCheck check{task.normalize_input(puzzle), {}, {}};
  if (const auto fault = task.contradiction(check.puzzle)) check.contradiction = fault->words;
  check.unfamiliar = task.unfamiliar(check.puzzle).value_or("");
  return check;
}

std::vector<std::string> task_names() { return tasks::task_names(); }

std::vector<Puzzle> generate(const std::string& task, std::size_t count,
                             const GenerateOptions& options) {
  return api::or_failure([&] { return generated(task, count, options); });
}

std::vector<Puzzle> generate(const std::string& task, std::size_t count, std::uint64_t seed,
                             bool test, std::uint32_t first) {
  GenerateOptions options;
  options.seed = seed;
  options.split = test ? "test" : "train";
  options.first = first;
  return generate(task, count, options);
}

std::vector<Puzzle> read_puzzles(const std::string& task, const std::string& file) {
  return api::or_failure([&] {
    std::vector<Puzzle> puzzles;
    for (auto& [example, line] : data::read_examples(file, *tasks::make_task(task)))
      puzzles.push_back({std::move(example.input), std::move(example.output)});
    return puzzles;
  });
}

Judgement verify(const std::string& task, const Puzzle& puzzle, const std::string& answer) {
  return api::or_failure([&] { return judged(task, puzzle, answer); });
}

std::optional<std::string> solve_exactly(const std::string& task, const std::string& puzzle) {
  return api::or_failure([&] {
    const auto solver = tasks::make_task(task);
    return solver->solve(solver->normalize_input(puzzle));
  });
}

std::string normalize(const std::string& task, const std::string& puzzle) {
  return api::or_failure([&] { return tasks::make_task(task)->normalize_input(puzzle); });
}

PuzzleCheck check(const std::string& task, const std::string& puzzle) {
  return api::or_failure([&] { return api::looked_at(*tasks::make_task(task), puzzle); });
}

}  // namespace mgdm
