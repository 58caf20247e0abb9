// The progress line of training: redrawn on a terminal, printed from time to time elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "spec/training_settings.h"

namespace mgdm::training {

using spec::TrainingSettings;

// The fraction of the budget that is spent, by steps, epochs or minutes, whichever the recipe
// names. UsageError unless it names exactly one.
class Budget {
 public:
  Budget(const TrainingSettings& settings, std::int64_t dataset_size);

  // 0 at the start, 1 at the end.
  double fraction(std::int64_t steps_done, double seconds) const;
  // The number of steps, or 0 when minutes decide.
  std::int64_t steps() const { return steps_; }

 private:
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

// "held-out 1.7593 at step 25 (57.1% of tokens)"; the step is shown only if it differs from the
// current one.
std::string held_out_words(double loss, double token_accuracy, std::int64_t measured_at,
                           std::int64_t shown_step);

// A slow first step is announced before it is done, and Ctrl-C is answered at once.
class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StatusLine(bool quiet, std::FILE* out = stderr);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether the next line is due: at the start, then every second on a terminal and every ten
  // seconds elsewhere.
  bool due(Clock::time_point now = Clock::now());

  // Prints a line that the next one replaces on a terminal.
  void show(const std::string& line, Clock::time_point now = Clock::now());
  // Prints a line that stays.
  void keep(const std::string& line);

  // Call these around each step. Work between steps shows its own progress and answers Ctrl-C.
  void step_begins();
  void step_ends();

 private:
  void watch(const std::stop_token& end);

  const bool quiet_;
  std::FILE* const out_;
  const bool terminal_;
  std::mutex mutex_;  // guards what is below
  std::optional<Clock::time_point> last_;
  std::optional<Clock::time_point> step_;  // under way, since when
  bool drawn_ = false;
  std::jthread watcher_;  // none when quiet, or where no thread can be had
};

}  // namespace mgdm::training
