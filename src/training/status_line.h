// The line that tells a person how it goes: redrawn on a terminal, printed now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace mgdm::training {

// "held-out 1.7593 at step 25 (57.1% of tokens)": the step only where it is not the one shown.
std::string held_out_words(double loss, double token_accuracy, std::int64_t measured_at,
                           std::int64_t shown_step);

class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StatusLine(bool quiet, std::FILE* out = stderr);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether it is time for another line: at first, then every second on a terminal and every ten
  // elsewhere.
  bool due(Clock::time_point now = Clock::now()) const;

  // A line that the next one replaces, on a terminal.
  void show(const std::string& line, Clock::time_point now = Clock::now());
  // One that stays.
  void keep(const std::string& line);

 private:
  const bool quiet_;
  std::FILE* const out_;
  const bool terminal_;
  std::optional<Clock::time_point> last_;
  bool drawn_ = false;
};

}  // namespace mgdm::training
