// Training runs side by side: what each measured, in which settings they differ, and one curve of
// each in a common figure.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/named_files.h"
#include "formats/markdown_table.h"
#include "formats/svg_figure.h"
#include "model_files/history.h"
#include "spec/recipe.h"

namespace mgdm::cli {
namespace {

namespace fs = std::filesystem;
using model_files::History, model_files::HistoryPoint;

// The value of a run that its table shows. The loss of a batch is too noisy for the smallest.
enum class Shown { kSmallest, kLargest, kLast };

struct Metric {
  const char *name, *title;
  std::optional<double> HistoryPoint::*member;
  Shown which;

  bool is_loss() const { return which != Shown::kLargest; }
  bool replaces(double later, double earlier) const {
    return which == Shown::kLast || (is_loss() ? later < earlier : later > earlier);
  }
  double scaled(double value) const { return is_loss() ? value : 100 * value; }
};
constexpr Metric kMetrics[] = {
    {"held_out_loss", "held-out loss", &HistoryPoint::held_out_loss, Shown::kSmallest},
    {"loss", "loss", &HistoryPoint::loss, Shown::kLast},
    {"token_accuracy", "held-out tokens, %", &HistoryPoint::token_accuracy, Shown::kLargest},
    {"accuracy", "accuracy, %", &HistoryPoint::accuracy, Shown::kLargest},
    {"accuracy_paper", "accuracy_paper, %", &HistoryPoint::accuracy_paper, Shown::kLargest}};

struct CompareSettings {
  std::vector<std::string> runs;
  std::string figure, metric = kMetrics[0].name, by = "step";

  void visit(config::Visitor& v) {
    std::vector<std::string> names;
    for (const Metric& each : kMetrics) names.emplace_back(each.name);
    v.field("runs", runs, "folders of runs, checkpoints, or models with a history.jsonl");
    v.field("figure", figure, "write the curves of all runs to this SVG file");
    v.field("metric", metric, "what the figure shows", config::one_of(names));
    v.field("by", by, "the x axis of the figure", config::one_of({"step", "minutes"}));
  }
};

struct Run {
  std::string name;
  History history;
  std::map<std::string, std::string> settings;  // of its config.toml, if it has one
};

std::map<std::string, std::string> settings_of(const fs::path& run) {
  const fs::path folder = is_there(run / "config.toml") ? run : run.parent_path();
  return attempt(
      [&] {
        std::map<std::string, std::string> settings;
        spec::Recipe recipe = spec::read_recipe((folder / "config.toml").string(), {});
        for (const config::Field& field : config::Fields(recipe).all())
          settings[field.key] = field.value();
        return settings;
      },
      [](const Error&) { return std::map<std::string, std::string>{}; });
}

std::vector<Run> read_runs(const std::vector<std::string>& folders) {
  std::vector<Run> runs;
  for (const std::string& folder : folders) {
    const std::vector<std::string> alone{folder};
    runs.push_back({folder, model_files::history_of(alone), settings_of(folder)});
  }
  return runs;
}

// "0.0251 at 3600": a value and its step; empty where the metric was never measured.
std::string shown_text(const History& history, const Metric& metric) {
  const HistoryPoint* shown = nullptr;
  for (const HistoryPoint& point : history)
    if (point.*metric.member &&
        (shown == nullptr || metric.replaces(*(point.*metric.member), *(shown->*metric.member))))
      shown = &point;
  if (shown == nullptr) return "";
  return fmt::format("{:.{}f} at {}", metric.scaled(*(shown->*metric.member)),
                     metric.is_loss() ? 4 : 1, shown->step);
}

std::string measured_table(const std::vector<Run>& runs) {
  using formats::Align;
  std::vector<formats::MarkdownTable::Column> columns{
      {"run"}, {"steps", Align::kRight}, {"minutes", Align::kRight}};
  for (const Metric& metric : kMetrics) columns.push_back({metric.title, Align::kRight});
  formats::MarkdownTable table(columns);
  for (const Run& run : runs) {
    std::vector<std::string> cells{run.name, fmt::format("{}", run.history.back().step),
                                   fmt::format("{:.1f}", run.history.back().minutes)};
    for (const Metric& metric : kMetrics) cells.push_back(shown_text(run.history, metric));
    table.add_row(cells);
  }
  return table.text(page_width());
}

// The settings in which the runs differ; empty where there are none.
std::string settings_table(const std::vector<Run>& runs) {
  std::map<std::string, std::vector<std::string>> values;  // by setting, one for each run
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const auto& [key, value] : runs[i].settings) {
      values[key].resize(runs.size());
      values[key][i] = value;
    }
  std::vector<formats::MarkdownTable::Column> columns{{"setting"}};
  for (const Run& run : runs) columns.push_back({run.name});
  formats::MarkdownTable table(columns);
  bool differ = false;
  for (auto& [key, of_runs] : values) {
    if (std::ranges::equal(of_runs, std::vector(runs.size(), of_runs.front()))) continue;
    differ = true;
    of_runs.insert(of_runs.begin(), key);
    table.add_row(of_runs);
  }
  return differ ? table.text(page_width()) : "";
}

std::string figure_of(const std::vector<Run>& runs, const CompareSettings& settings) {
  const Metric& metric = *std::ranges::find(kMetrics, settings.metric, &Metric::name);
  formats::LineChart chart;
  chart.labels = {.x = settings.by, .y = metric.title};
  for (const Run& run : runs) {
    formats::Curve curve{run.name, {}};
    for (const HistoryPoint& point : model_files::thinned(run.history, 1000))
      if (point.*metric.member)
        curve.points.push_back(
            {settings.by == "step" ? static_cast<double>(point.step) : point.minutes,
             metric.scaled(*(point.*metric.member))});
    chart.curves.push_back(curve);
  }
  return to_svg(chart);
}

void run_compare(const CompareSettings& settings) {
  check_files({{"--figure", settings.figure}});
  const std::vector<Run> runs = read_runs(settings.runs);
  fmt::print("{}", printable(measured_table(runs), "\n"));
  if (const std::string table = settings_table(runs); !table.empty())
    fmt::print("\n{}", printable(table, "\n"));
  if (!settings.figure.empty()) write_file(settings.figure, figure_of(runs, settings));
}

}  // namespace

Command compare_command() {
  return make_command<CompareSettings>(
      "compare", "Compare training runs: their best numbers, settings and curves",
      "  mgdm compare runs/mgdm runs/beta2\n"
      "  mgdm compare runs/* --figure curves.svg\n"
      "  mgdm compare runs/* --figure curves.svg --metric accuracy --by minutes\n",
      {"runs"}, {"runs"}, run_compare);
}

}  // namespace mgdm::cli
