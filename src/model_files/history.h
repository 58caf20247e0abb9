// What training measured on its way, in a small file beside a model's weights: history.jsonl, one
// line per point. The run folder has the whole truth (metrics.jsonl); this travels with the model.
//
//   {"step":3600,"minutes":0.334257,"loss":0.0268805,"held_out_loss":0.0251781,"token_accuracy":0.962798}
//   {"step":36000,"minutes":3.28968,"loss":0.00289027,"accuracy":0.987,"accuracy_paper":0.987}
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::model_files {

inline constexpr const char* kHistoryFile = "history.jsonl";
inline constexpr std::size_t kMostHistory = 200;  // points of a file

struct HistoryPoint {
  std::int64_t step = 0;
  double minutes = 0;               // of training, evaluations included
  std::optional<double> loss = {};  // of a batch
  std::optional<double> held_out_loss = {}, token_accuracy = {};  // of held-out examples
  std::optional<double> accuracy = {}, accuracy_paper = {};       // of puzzles that were answered

  bool operator==(const HistoryPoint&) const = default;
};

using History = std::vector<HistoryPoint>;

// Of a run's metrics.jsonl, up to a step. An evaluation says nothing of the time: it gets that of
// its step, between those that were logged. A line that is cut off is passed over.
History read_metrics(const std::filesystem::path& file,
                     std::int64_t last_step = std::numeric_limits<std::int64_t>::max());

// Runs that were trained one after the other: steps and minutes go on.
History joined(History first, const History& second);

// At most `most` points, half of them for evaluations where there are so many, the last one always.
History thinned(const History& history, std::size_t most = kMostHistory);

// A line of the file, without its end; and back. An Error when it is none.
std::string history_line(const HistoryPoint& point);
HistoryPoint parse_history_line(std::string_view line);

// Of a model's folder; empty where it has none. An Error with file:line when it is malformed.
History read_history(const std::filesystem::path& folder);
void write_history(const std::filesystem::path& folder, const History& history);

// What is known of a model in some folder: its own file; or, of a checkpoint, what its run measured
// up to it, after the history of the model that the run began from (init) where that answers the
// same task. Empty where nothing is.
History history_of(const std::filesystem::path& model);

// The same of several, one after the other, each a run's folder, a checkpoint or a model; models
// that they began from are not looked at. An Error for one that has none.
History history_of(std::span<const std::string> folders);

}  // namespace mgdm::model_files
