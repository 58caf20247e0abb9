// Solves puzzles that come one by one, many at a time, and returns answers in their order.
//
//   SolveStream stream(model, settings, 64, [&](const Solved& solved) { print(solved); });
//   while (read(puzzle)) stream.add(puzzle);
//   stream.finish();
//
// A thread of the stream decodes and delivers answers while the caller waits for the next puzzle.
// Memory is bounded: add() waits when too many puzzles are in progress. Unless decoding is random,
// a puzzle that is equal to one of the last few thousand gets the same answer, computed once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "inference/queue.h"
#include "inference/solve.h"

namespace mgdm::inference {

class SolveStream {
 public:
  using Take = std::function<void(const Solved& solved)>;

  static constexpr std::size_t kRemembered = 4096;  // answers

  // At most `batch` puzzles are decoded at a time. The model must outlive the stream, which is its
  // only user in that time.
  SolveStream(const LoadedModel& model, const decoding::DecodingSettings& settings,
              std::size_t batch, Take take);
  SolveStream(const SolveStream&) = delete;
  SolveStream& operator=(const SolveStream&) = delete;

  // Adds a puzzle; the n-th (from 0) is item n. Throws the error of this puzzle, of an earlier one
  // or of take(), and Interrupted.
  void add(const std::string& puzzle);
  void add(Prepared&& puzzle);

  // Returns when all puzzles are answered. Throws like add().
  void finish();

 private:
  void wait_until_under_way(std::size_t most);
  void answered(std::uint32_t item, const Outcome& outcome);
  // Delivers make() after all earlier answers. Needs the mutex; an exception of make() ends the
  // stream.
  void hand_out(std::uint32_t item, const std::function<Solved()>& make);

  const LoadedModel& model_;
  const decoding::DecodingSettings settings_;  // resolved
  const std::size_t most_;                     // under way
  const Take take_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::uint32_t, Prepared> under_way_;
  std::map<std::string, std::vector<std::uint32_t>> equal_;  // by puzzle under way: further items
  std::map<std::string, Solved> remembered_;                 // by puzzle
  std::map<std::uint32_t, Solved> early_;                    // answered, but one before them is not
  std::uint32_t next_item_ = 0, next_taken_ = 0;
  std::exception_ptr failure_;

  Queue queue_;  // last: its thread uses all of the above
};

}  // namespace mgdm::inference
