// Writes JSONL, one JSON object per line, and reads the measurements of training runs. (records.h
// reads puzzles and answers.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/svg_figure.h"

namespace mgdm::formats {

// `text` in quotes, with escapes where JSON wants them.
std::string json_string(std::string_view text);

// {"input": "...", "output": "..."} and a newline.
std::string jsonl_line(
    std::initializer_list<std::pair<std::string_view, std::string_view>> members);

// metrics.jsonl, the measurements of a training run: one JSON object per line with a step and
// numbers.
//
//   {"step":12,"loss":0.31,"seconds":4.2}

struct MetricsLine {
  std::int64_t step = 0;
  std::map<std::string, double> numbers{};  // without the step
  std::string_view text{};                  // the line as it is
};

// Calls `each` for every line in order. Nothing happens when there is no such file. A line without
// a step is skipped: it was cut off when the disk was full or the process was killed.
void for_each_metrics_line(const std::filesystem::path& file,
                           const std::function<void(const MetricsLine&)>& each);

// One metric ("accuracy") over the steps; empty when it was never measured.
std::vector<Curve::Point> read_metric(const std::filesystem::path& file, const std::string& name);

}  // namespace mgdm::formats
