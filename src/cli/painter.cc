#include "cli/painter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"

namespace mgdm::cli {
namespace {

bool can_repaint() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(::fileno(stdout)) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

bool has_colours(std::string_view color) {
  if (color != "auto") return color == "always";
  return can_repaint() && std::getenv("NO_COLOR") == nullptr;
}

const char* colour_of(float confidence) {
  if (confidence > 0.9f) return "32";      // green
  return confidence > 0.5f ? "33" : "31";  // yellow, red
}

}  // namespace

std::string coloured(const std::string& drawing, const inference::StepText& step,
                     const std::string& before) {
  std::string out;
  std::size_t next = 0;  // character of the text
  for (const char c : drawing) {
    if (next == step.text.size() || c != step.text[next]) {  // frames and gaps of the drawing
      out += c;
      continue;
    }
    const std::size_t i = next++;
    if (c == inference::kHidden) {
      out += fmt::format("\x1b[2m{}\x1b[0m", c);
      continue;
    }
    if (i < step.given.size() && step.given[i]) {
      out += fmt::format("\x1b[1m{}\x1b[0m", c);
      continue;
    }
    const bool changed = i < before.size() && before[i] != c && before[i] != inference::kHidden;
    const float confidence = i < step.confidence.size() ? step.confidence[i] : 1;
    out += fmt::format("\x1b[{}{}m{}\x1b[0m", changed ? "4;" : "", colour_of(confidence), c);
  }
  return out;
}

std::size_t rows_of(std::string_view line, std::size_t columns) {
  std::size_t shown = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '\x1b')
      i = std::min(line.find('m', i), line.size() - 1);
    else
      ++shown;
  return std::max<std::size_t>(1, (shown + columns - 1) / columns);
}

Painter::Painter(const tasks::Task& task, std::string prefix, std::string_view color)
    : task_(task),
      prefix_(std::move(prefix)),
      repaints_(can_repaint()),
      colours_(has_colours(color)) {}

std::string colour_legend(std::string_view color) {
  if (!has_colours(color)) return "";
  return "\x1b[1mbold\x1b[0m: given, \x1b[32mgreen\x1b[0m: sure, \x1b[33myellow\x1b[0m: not sure, "
         "\x1b[31mred\x1b[0m: a guess, \x1b[4munderlined\x1b[0m: changed its mind\n";
}

std::string Painter::drawn(const inference::StepText& step) {
  std::string text = printable(task_.drawn(step.text), "\n");
  if (colours_) text = coloured(text, step, before_);
  before_ = step.text;
  return text;
}

bool Painter::paint(const inference::StepText& step) {
  if (repaints_ && rows_ > 0) fmt::print("\x1b[{}A\x1b[J", rows_);
  const std::string text = fmt::format("pass {}\n{}", step.pass + 1, drawn(step));
  const std::size_t columns = repaints_ ? columns_of(stdout) : 0;
  rows_ = 0;
  for (const std::string_view line : split(text, '\n')) {
    fmt::print("{}{}\n", prefix_, line);
    if (repaints_) rows_ += rows_of(prefix_ + std::string(line), columns);
  }
  flush_output();
  if (repaints_) std::this_thread::sleep_for(std::chrono::milliseconds(150));
  return !interrupted();
}

}  // namespace mgdm::cli
