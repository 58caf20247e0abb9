// How the shipped models came to what they can: accuracy over minutes of training, from the history
// beside their weights.
#include <fmt/format.h>

#include <algorithm>

#include "model_files/history.h"
#include "reproduction/plan.h"

namespace mgdm::reproduction {
namespace {

constexpr int kPartOfMinutes = 5;  // % of the minutes

std::size_t how_many(const model_files::History& history,
                     std::optional<double> model_files::HistoryPoint::*member) {
  return static_cast<std::size_t>(std::ranges::count_if(
      history,
      [&](const model_files::HistoryPoint& point) { return (point.*member).has_value(); }));
}

Value shown_at(const model_files::HistoryPoint& point, double fraction) {
  Value value{.ours = 100 * fraction};
  value.x = point.minutes;
  return value;
}

// Accuracy on the puzzles that were answered on the way, else on the tokens of held-out examples.
TableRow history_row(const std::string& name, const model_files::History& history) {
  const bool puzzles = how_many(history, &model_files::HistoryPoint::accuracy) > 2;
  const auto member =
      puzzles ? &model_files::HistoryPoint::accuracy : &model_files::HistoryPoint::token_accuracy;
  TableRow row{fmt::format("{}: {}", name, puzzles ? "puzzles" : "tokens"), {}};
  const double end = history.back().minutes;
  // The last that was measured in each part.
  for (int percent = kPartOfMinutes; percent <= 100; percent += kPartOfMinutes) {
    Value value;
    for (const model_files::HistoryPoint& point : history)
      if (const auto& fraction = point.*member;
          fraction && point.minutes * 100 <= end * percent * (1 + 1e-9) &&
          point.minutes * 100 > end * (percent - kPartOfMinutes) * (1 + 1e-9))
        value = shown_at(point, *fraction);
    row.values.push_back(value);
  }
  const auto last = std::ranges::find_if(history.rbegin(), history.rend(), [](const auto& point) {
    return point.accuracy.has_value();
  });
  row.values.push_back(last == history.rend() ? Value{} : shown_at(*last, *last->accuracy));
  Value minutes;
  minutes.ours = end;
  row.values.push_back(minutes);
  return row;
}

std::vector<TableRow> histories(const Context&, const TimeLeft&) {
  std::vector<TableRow> rows;
  for (const ShippedModel& model : shipped_models()) {
    const model_files::History history = model_files::read_history(model.folder);
    if (!history.empty()) {
      rows.push_back(history_row(model.name, history));
      continue;
    }
    Value none;
    none.note = "no history.jsonl beside its weights";
    rows.push_back({model.name, {none}});
  }
  return rows;
}

}  // namespace

Plan shipped_training_plan() {
  Table frame{"shipped-training", "The shipped models: accuracy over training", "docs/results.md"};
  frame.corner = "% of the training";
  frame.axis = "minutes of training; rings: puzzles solved, as measured last";
  for (int percent = kPartOfMinutes; percent <= 100; percent += kPartOfMinutes)
    frame.columns.push_back(std::to_string(percent));
  frame.columns.insert(frame.columns.end(), {"puzzles, last", "minutes"});
  frame.chart = Chart::kLines;
  frame.unit = "puzzles solved, or held-out tokens predicted, %";
  frame.notes = {
      "As training itself measured, from history.jsonl beside the weights (docs/formats.md): the "
      "puzzles solved where some were answered on the way, decoded as the recipe says; elsewhere "
      "the tokens that were predicted right in held-out examples of which a part is masked, which "
      "is far easier than whole puzzles. Minutes are those of the machine that the model's card "
      "names, up to the last measurement: that of planning is at step 4000 of 5000. countdown-5 "
      "began "
      "with weights of countdown-4, whose 4 minutes are not among its own."};
  return {frame, {}, histories};
}

}  // namespace mgdm::reproduction
