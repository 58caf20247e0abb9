// A progress line with rate and time left, on standard error.
//
// On a terminal it is a bar that redraws itself; otherwise a plain line now and then, so that logs
// stay readable. Nothing is shown for work that ends within a second; work that takes longer is
// shown before anything of it is done. Ctrl-C is answered at once, however long the work takes to
// end.
//
//   Progress progress("generating", count, quiet);
//   progress.add(1024);   // from any thread
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>

namespace mgdm {

// "42s", "3m 07s", "2h 05m", "12d 05h".
std::string format_duration(double seconds);

// "20m", "90s" or "1.5h" in seconds. UsageError for anything else.
double parse_duration(const std::string& text);

// "950", "12.3k", "4.56M".
std::string format_count(double count);

// How wide a terminal is; 80 where it does not say.
std::size_t columns_of(std::FILE* terminal);

// Over the last line on a terminal, and as much of it as fits there; on a line of its own
// elsewhere.
void draw_line(std::FILE* out, bool terminal, const std::string& line);

// The line itself: "generating  [#####.....]  50%  5.0k/10.0k  2.5k/s  2s left"; where nobody knows
// the total, 0: "solving  5.0k  2.5k/s".
std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total,
                          double seconds, bool bar);

class Progress {
 public:
  Progress(std::string label, std::uint64_t total, bool quiet, std::FILE* out = stderr);
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t n) { done_ += n; }

 private:
  void show_now_and_then(const std::stop_token& end);
  std::string line_now() const;
  void show(const std::string& line);

  using Clock = std::chrono::steady_clock;
  const std::string label_;
  const std::uint64_t total_;
  std::FILE* const out_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::uint64_t> done_ = 0;
  std::string shown_;    // last, by the thread
  std::jthread thread_;  // none when quiet
};

}  // namespace mgdm
