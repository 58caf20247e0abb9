// The line that tells a person how it goes: redrawn on a terminal, printed now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace mgdm::training {

class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // An important line is shown however soon it comes after the last, and stays.
  void show(const std::string& line, bool important);

 private:
  using Clock = std::chrono::steady_clock;
  const bool quiet_, terminal_;
  Clock::time_point last_ = Clock::now() - std::chrono::hours(1);
  bool drawn_ = false;
};

}  // namespace mgdm::training
