#include "reproduction/puzzles.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/paths.h"
#include "data/examples_file.h"
#include "tasks/released.h"

namespace mgdm::reproduction {
namespace {

tasks::TaskOptions options_of(const TestSet& test) {
  return tasks::task_options(test.nodes, test.difficulty, test.guesses);
}

bool is_released(const TestSet& test) {
  return test.from == TestSet::From::kReleased && tasks::make_task(test.task)->abilities().released;
}

// The first of the paper's test. To make them takes seconds, and many cells ask for the same: they
// are made once.
std::vector<tasks::Example> released_puzzles(const tasks::Task& task, std::size_t count) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<tasks::Example>> made;  // by task
  const std::lock_guard lock(mutex);
  std::vector<tasks::Example>& known = made[task.name()];
  if (known.size() < count) {
    std::vector<tasks::Example> puzzles;
    tasks::for_released(*task.released(tasks::Split::kTest), count,
                        [&](const tasks::Example& puzzle) { puzzles.push_back(puzzle); });
    known = std::move(puzzles);
  }
  return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::vector<tasks::Example> puzzles_of(const TestSet& test, const Context& context) {
  const auto task = tasks::make_task(test.task, options_of(test));
  const std::int64_t wanted = context.limit > 0 ? std::min(context.limit, test.count) : test.count;
  const auto count = static_cast<std::size_t>(wanted);
  std::vector<tasks::Example> puzzles;
  if (test.from == TestSet::From::kFile) {
    if (context.files.empty() || !is_there(context.files / test.file))
      throw Error(fmt::format("the file {} is not at hand", test.file),
                  "--files FOLDER that has it");
    for (auto& located : data::read_examples((context.files / test.file).string(), *task))
      if (puzzles.size() < count) puzzles.push_back(std::move(located.example));
  } else if (is_released(test)) {
    puzzles = released_puzzles(*task, static_cast<std::size_t>(test.count));
    puzzles.resize(count);
  } else {
    for (std::uint32_t i = 0; i < count; ++i)
      puzzles.push_back(
          task->generate(static_cast<std::uint64_t>(test.seed), tasks::Split::kTest, i));
  }
  return puzzles;
}

std::string about(const TestSet& test) {
  if (test.from == TestSet::From::kFile) return test.file;
  if (is_released(test)) return fmt::format("{} of {} as released", test.count, test.task);
  std::string kind = test.task;
  if (test.difficulty != tasks::kDefaultDifficulty) kind += ", " + test.difficulty;
  if (!test.guesses.empty()) kind += ", guesses " + test.guesses;
  if (test.nodes != tasks::kDefaultNodes) kind += fmt::format(", {} nodes", test.nodes);
  return fmt::format("{} of {}, generated from seed {}", test.count, kind, test.seed);
}

PuzzleFile puzzle_file(const TestSet& test) {
  if (test.from == TestSet::From::kFile) return {"", test.file};
  std::string words = fmt::format("mgdm generate {} --split test", test.task), name = test.task;
  if (is_released(test)) {
    words += " --as-released";
    name += "-released";
  } else {
    words += fmt::format(" --seed {}", test.seed);
    if (test.difficulty != tasks::kDefaultDifficulty) {
      words += " --difficulty " + test.difficulty;
      name += "-" + test.difficulty;
    }
    if (!test.guesses.empty()) {
      words += " --guesses " + test.guesses;
      name += "-guesses";
    }
    if (test.nodes != tasks::kDefaultNodes) {
      words += fmt::format(" --nodes {}", test.nodes);
      name += fmt::format("-{}-nodes", test.nodes);
    }
  }
  name += ".jsonl";
  return {fmt::format("{} --count {} --out {}", words, test.count, name), name};
}

}  // namespace mgdm::reproduction
