#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/standard_streams.h"
#include "base/text.h"

namespace mgdm {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kFirst = 1s, kBetweenBars = 100ms, kBetweenLines = 10s;
constexpr std::chrono::milliseconds kLook = 100ms;  // for Ctrl-C

}  // namespace

std::size_t columns_of(std::FILE* terminal) {
  winsize size{};
  if (::ioctl(::fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const auto number = parse_int(columns == nullptr ? "" : columns);
  return number && *number > 0 ? static_cast<std::size_t>(*number) : 80;
}

std::string format_duration(double seconds) {
  const std::int64_t s = std::llround(seconds);
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m {:02}s", s / 60, s % 60);
  if (s < 100 * 3600) return fmt::format("{}h {:02}m", s / 3600, s / 60 % 60);
  const std::int64_t days = s / 86400;
  if (days < 1000) return fmt::format("{}d {:02}h", days, s / 3600 % 24);
  return fmt::format("{}y {}d", days / 365, days % 365);
}

double parse_duration(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = lowered(trim(end));
  const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || factor == 0 || !(number > 0) || number > 1e6)
    throw UsageError(fmt::format("{} is no time", in_quotes(text)), "20m, 90s or 1.5h");
  return number * factor;
}

std::string format_count(double count) {
  if (count < 1000) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.2f}M", count / 1e6);
}

void draw_line(std::FILE* out, bool terminal, const std::string& line) {
  if (terminal)
    say_to(out, "\r{}\x1b[K", shortened(line, columns_of(out) - 1));
  else
    say_to(out, "{}\n", line);
}

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total,
                          double seconds, bool bar) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed = rate > 0 && rate < 1 ? fmt::format("{:.2f}", rate) : format_count(rate);
  if (total == 0)  // nobody knows how much it is
    return label +
           (done == 0 ? " ..."
                      : fmt::format("  {}  {}/s", format_count(static_cast<double>(done)), speed));
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto left = static_cast<double>(total > done ? total - done : 0);
  std::string line = label;
  if (bar) {
    constexpr std::size_t kWidth = 24;
    const auto full = static_cast<std::size_t>(share * kWidth);
    line += fmt::format("  [{}{}]", std::string(full, '#'), std::string(kWidth - full, '.'));
  }
  line +=
      fmt::format("  {:3.0f}%  {}/{}  {}/s", share * 100, format_count(static_cast<double>(done)),
                  format_count(static_cast<double>(total)), speed);
  if (rate > 0) line += fmt::format("  {} left", format_duration(left / rate));
  return line;
}

Progress::Progress(std::string label, std::uint64_t total, bool quiet, std::FILE* out)
    : label_(std::move(label)), total_(total), out_(out), terminal_(::isatty(::fileno(out)) == 1) {
  if (quiet) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& end) { show_now_and_then(end); });
  } catch (const std::system_error&) {  // no thread can be had: nothing is shown
  }
}

Progress::~Progress() {
  thread_ = {};
  if (terminal_ && !shown_.empty()) say_to(out_, "\r\x1b[K");
}

void Progress::show_now_and_then(const std::stop_token& end) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  for (auto due = start_ + kFirst;;) {
    ended.wait_for(lock, end, kLook, [] { return false; });
    if (end.stop_requested()) return;
    if (interrupted())
      return show(label_ + ": stopping after what is under way; Ctrl-C again: at once");
    if (Clock::now() < due) continue;
    show(line_now());
    due = Clock::now() + (terminal_ ? kBetweenBars : kBetweenLines);
  }
}

std::string Progress::line_now() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::uint64_t done = done_;
  std::string line = progress_line(label_, done, total_, seconds, terminal_);
  if (terminal_ && count_code_points(line) >= columns_of(out_))
    line = progress_line(label_, done, total_, seconds, /*bar=*/false);
  return line;
}

void Progress::show(const std::string& line) {
  if (terminal_ && line == shown_) return;
  draw_line(out_, terminal_, line);
  shown_ = line;
}

}  // namespace mgdm
