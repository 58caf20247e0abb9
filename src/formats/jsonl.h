// JSONL: one JSON object per line. Members that are strings or lists are read, as text: a list of
// numbers with commas between them, a list of strings or of lists as lines.
//
//   JsonlReader reader("train.jsonl");
//   while (reader.next()) use(reader.text("input"), reader.text("output"));
//
// Other members are ignored. Blank lines are skipped. Anything else that is not an object in valid
// UTF-8 is an Error with file:line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "formats/svg_figure.h"

namespace mgdm::formats {

using JsonStrings = std::vector<std::pair<std::string, std::string>>;

// The members of one JSON object that are text; Error when `line` is not an object.
JsonStrings parse_jsonl_line(std::string_view line);

// `text` in quotes, with escapes where JSON wants them.
std::string json_string(std::string_view text);

// {"input": "...", "output": "..."} and a newline.
std::string jsonl_line(
    std::initializer_list<std::pair<std::string_view, std::string_view>> members);

class JsonlReader {
 public:
  explicit JsonlReader(const std::string& path, Reading reading = Reading::kAgain,
                       OnBadLine on_bad = {})
      : lines_(path, reading), on_bad_(std::move(on_bad)) {}

  // Reads the next line; false at the end of the file. Lines that are not objects are skipped and
  // reported to on_bad, if there is one.
  bool next();

  // A member of the current line; none when it is absent or is no text.
  std::optional<std::string> text(std::string_view key) const;

  // The first of these members that is there; without any an Error with file:line lists them.
  std::string required_text(const std::vector<std::string_view>& keys) const;

  const std::string& path() const { return lines_.path(); }
  std::size_t line_number() const { return lines_.line_number(); }

 private:
  LineReader lines_;
  OnBadLine on_bad_;
  std::string_view line_;
  JsonStrings members_;
};

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
