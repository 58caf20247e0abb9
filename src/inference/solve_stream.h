// Puzzles that come one by one, decoded many at a time, answered in their order.
//
//   SolveStream stream(model, settings, 64, [&](const Solved& solved) { print(solved); });
//   while (read(puzzle)) stream.add(puzzle);
//   stream.finish();
//
// A thread of the stream decodes and hands out answers, so that they come while the caller still
// waits for the next puzzle. Memory does not grow with the number of puzzles: add() waits when too
// many are under way.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "inference/queue.h"
#include "inference/solve.h"

namespace mgdm::inference {

class SolveStream {
 public:
  using Take = std::function<void(const Solved& solved)>;

  // At most `batch` puzzles are decoded at a time. The model must outlive the stream, which is its
  // only user in that time.
  SolveStream(const LoadedModel& model, const decoding::DecodingSettings& settings,
              std::size_t batch, Take take);
  SolveStream(const SolveStream&) = delete;
  SolveStream& operator=(const SolveStream&) = delete;

  // The n-th puzzle (from 0) is item n. Throws what is wrong with the puzzle, what went wrong with
  // an earlier one or in take(), and Interrupted.
  void add(const std::string& puzzle);
  void add(Prepared&& puzzle);

  // Returns when all are answered. Throws the same.
  void finish();

 private:
  void wait_until_under_way(std::size_t most);
  void answered(std::uint32_t item, const Outcome& outcome);
  // What make() gives, once all before it are out. Under the mutex; what it throws is a failure.
  void hand_out(std::uint32_t item, const std::function<Solved()>& make);

  const LoadedModel& model_;
  const decoding::DecodingSettings settings_;  // resolved
  const std::size_t most_;                     // under way
  const Take take_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::uint32_t, Prepared> under_way_;
  std::map<std::uint32_t, Solved> early_;  // answered, but one before them is not
  std::uint32_t next_item_ = 0, next_taken_ = 0;
  std::exception_ptr failure_;

  Queue queue_;  // last: its thread uses all of the above
};

}  // namespace mgdm::inference
