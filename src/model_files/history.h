// history.jsonl beside a model's weights: a summary of what training measured, one line per point.
// The run folder's metrics.jsonl has everything; this small file travels with the model.
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

// Reads a run's metrics.jsonl up to a step. Evaluations have no time of their own: they get the
// time of their step, interpolated between logged ones. Incomplete lines are skipped.
History read_metrics(const std::filesystem::path& file,
                     std::int64_t last_step = std::numeric_limits<std::int64_t>::max());

// Joins the histories of two runs, the second of which began from the first: steps and minutes
// continue.
History joined(History first, const History& second);

// At most `most` points, up to half of them evaluations. The last point is always kept.
History thinned(const History& history, std::size_t most = kMostHistory);

// Formats and parses one line of the file, without its end. An Error when the text is not a point.
std::string history_line(const HistoryPoint& point);
HistoryPoint parse_history_line(std::string_view line);

// Reads the history in a model's folder; empty if it has none. An Error with file:line when it is
// malformed.
History read_history(const std::filesystem::path& folder);
void write_history(const std::filesystem::path& folder, const History& history);

// The known history of a model: its own file, or for a checkpoint what its run measured up to it.
// The history of the model that the run began from (init) comes first if it answers the same task.
// Empty if nothing is known.
History history_of(const std::filesystem::path& model);

// Joins the histories of several runs, checkpoints or models in order, without those that they
// began from. An Error for one that has none.
History history_of(std::span<const std::string> folders);

}  // namespace mgdm::model_files
