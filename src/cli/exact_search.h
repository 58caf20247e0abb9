// Exact search over many puzzles: what `solve --exact` and `label` share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/examples_file.h"
#include "inference/loaded_model.h"
#include "tasks/task.h"

namespace mgdm::cli {

// The task that takes the puzzle best, whether a model answers it or not. A DIMACS formula is one
// of "sat". Error when no task takes it.
std::unique_ptr<tasks::Task> task_of_puzzle(const std::string& puzzle);

// The answer of an exact search, by the task's own rules or by looser ones. An answer by the task's
// rules is verified. Without an answer the check is wrong, and its fault says that there is none.
inference::Solved solve_exactly(const tasks::Task& task, const std::string& input,
                                const tasks::Rules& rules = {});

// Names the looser rules to try where a puzzle has no solution by these; empty where there are
// none.
std::string rules_to_try(const tasks::Task& task, const tasks::Rules& rules);

// Work on examples in all cores whose results come in the order of the examples. Memory is bounded.
//
//   ExampleBatches<std::string> lines(threads, [&](const Example& e) { return line_of(e); },
//                                     [&](std::string&& line) { file.write(line); });
//   while (...) lines.add(located);
//   lines.finish();
template <class Result>
class ExampleBatches {
 public:
  using Work = std::function<Result(const data::LocatedExample& example)>;
  using Take = std::function<void(Result&& result)>;

  ExampleBatches(int threads, Work work, Take take)
      : threads_(threads), work_(std::move(work)), take_(std::move(take)) {}

  void add(data::LocatedExample&& example) {
    batch_.push_back(std::move(example));
    if (batch_.size() == kBatch) finish();
  }

  // Hands out the results of all examples so far.
  void finish() {
    for_chunks<std::vector<Result>>(
        batch_.size(), kChunk, threads_,
        [&](std::size_t begin, std::size_t end) {
          std::vector<Result> results;
          for (std::size_t i = begin; i < end; ++i) {
            stop_if_interrupted();
            results.push_back(work_(batch_[i]));
          }
          return results;
        },
        [&](std::vector<Result>&& results) {
          for (Result& result : results) take_(std::move(result));
        });
    batch_.clear();
  }

 private:
  static constexpr std::size_t kBatch = 8192, kChunk = 64;

  const int threads_;
  const Work work_;
  const Take take_;
  std::vector<data::LocatedExample> batch_;
};

}  // namespace mgdm::cli
