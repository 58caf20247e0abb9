#include "model_files/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"
#include "formats/jsonl.h"
#include "model_files/checkpoint_config.h"
#include "model_files/checkpoints.h"
#include "spec/recipe.h"

namespace mgdm::model_files {
namespace {

namespace fs = std::filesystem;

// What may be missing of a point: its name in both files. One list for reading and writing.
struct Measured {
  const char *name, *in_metrics;
  std::optional<double> HistoryPoint::*member;
};
constexpr Measured kMeasured[] = {
    {"loss", "loss", &HistoryPoint::loss},
    {"held_out_loss", "held_out_loss", &HistoryPoint::held_out_loss},
    {"token_accuracy", "held_out_token_accuracy", &HistoryPoint::token_accuracy},
    {"accuracy", "accuracy", &HistoryPoint::accuracy},
    {"accuracy_paper", "accuracy_paper", &HistoryPoint::accuracy_paper}};

std::optional<double> finite_at(const nlohmann::json& members, const char* name) {
  if (!members.contains(name) || !members[name].is_number()) return std::nullopt;
  const auto number = members[name].get<double>();
  return std::isfinite(number) ? std::optional(number + 0.0) : std::nullopt;  // no -0
}

// The step of a line, if the line is an object that has one.
std::optional<std::int64_t> step_of(const nlohmann::json& members) {
  if (!members.is_object() || !members.contains("step") || !members["step"].is_number_integer())
    return std::nullopt;
  const auto step = members["step"].get<std::int64_t>();
  return step >= 0 ? std::optional(step) : std::nullopt;
}

// The time of a step, between the two that are known around it.
double minutes_at(std::int64_t step, const std::map<std::int64_t, double>& known) {
  if (known.empty()) return 0;
  const auto next = known.lower_bound(step);
  if (next == known.end()) return known.rbegin()->second;
  if (next->first == step) return next->second;
  const bool first = next == known.begin();
  const std::int64_t low = first ? 0 : std::prev(next)->first;
  const double before = first ? 0 : std::prev(next)->second;
  return before + (next->second - before) * static_cast<double>(step - low) /
                      static_cast<double>(next->first - low);
}

// `most` of them, evenly, the last one among them.
History evenly(const History& points, std::size_t most) {
  if (points.size() <= most) return points;
  History some;
  for (std::size_t i = 1; i <= most; ++i) some.push_back(points[i * points.size() / most - 1]);
  return some;
}

// "runs/a/checkpoint-8/" is the same folder as without the last stroke, and "runs/a/best" a link to
// such a folder.
fs::path without_end(const fs::path& folder) {
  const fs::path path = folder.has_filename() ? folder : folder.parent_path();
  std::error_code no_link;
  const fs::path target = fs::read_symlink(path, no_link);
  return no_link ? path : path.parent_path() / target;
}

// The model that a run began from, where it answers the same task: only then its curve is the
// beginning of the run's. Empty for an old or a foreign folder too.
std::string begun_from(const fs::path& run) {
  if (!is_there(run / "config.toml")) return "";
  try {
    const spec::Recipe recipe = spec::read_recipe((run / "config.toml").string(), {});
    if (recipe.init.empty() || !is_there(fs::path(recipe.init) / "config.json")) return "";
    const auto card = read_config(recipe.init).about.card;
    return card && card->task == recipe.task ? recipe.init : "";
  } catch (const Error&) {
    return "";
  }
}

History history_through(const fs::path& model, int runs) {
  if (is_there(model / kHistoryFile)) return read_history(model);
  const auto step = checkpoint_step(model);
  const fs::path run = model.parent_path();
  if (!step || !is_there(run / "metrics.jsonl")) return {};
  History own = read_metrics(run / "metrics.jsonl", *step);
  constexpr int kMostRuns = 32;  // that began from one another
  const std::string before = runs == kMostRuns ? "" : begun_from(run);
  return before.empty() ? own : joined(history_through(without_end(before), runs + 1), own);
}

// A run's folder, a checkpoint or a model.
History alone(const fs::path& folder) {
  if (is_there(folder / kHistoryFile)) return read_history(folder);
  if (is_there(folder / "metrics.jsonl")) return read_metrics(folder / "metrics.jsonl");
  const auto step = checkpoint_step(folder);
  const fs::path metrics = folder.parent_path() / "metrics.jsonl";
  return step && is_there(metrics) ? read_metrics(metrics, *step) : History{};
}

}  // namespace

History read_metrics(const fs::path& file, std::int64_t last_step) {
  std::map<std::int64_t, HistoryPoint> points;
  std::map<std::int64_t, double> minutes;
  formats::for_each_metrics_line(file, [&](const formats::MetricsLine& line) {
    if (line.step > last_step) return;
    HistoryPoint& point = points[line.step];
    for (const auto& [name, number] : line.numbers) {
      if (name == "seconds") minutes[line.step] = number / 60;
      for (const Measured& each : kMeasured)
        if (name == each.in_metrics) point.*each.member = number + 0.0;  // no -0
    }
  });
  History history;
  for (auto& [step, point] : points) {
    point.step = step;
    point.minutes = minutes_at(step, minutes);
    history.push_back(point);
  }
  return history;
}

History joined(History first, const History& second) {
  const HistoryPoint end = first.empty() ? HistoryPoint{} : first.back();
  for (HistoryPoint point : second) {
    point.step += end.step;
    point.minutes += end.minutes;
    first.push_back(point);
  }
  return first;
}

History thinned(const History& history, std::size_t most) {
  if (history.size() <= most) return history;
  History evaluations, others;
  for (const HistoryPoint& point : history)
    (point.accuracy ? evaluations : others).push_back(point);
  // Half of the places for each, or more where there are few of the others.
  History some = evenly(evaluations, std::max(most / 2, most - std::min(most, others.size())));
  const History rest = evenly(others, most - some.size());
  some.insert(some.end(), rest.begin(), rest.end());
  std::ranges::stable_sort(some, {}, &HistoryPoint::step);
  if (!some.empty() && some.back() != history.back()) some.back() = history.back();
  return some;
}

std::string history_line(const HistoryPoint& point) {
  std::string text = fmt::format("{{\"step\":{},\"minutes\":{:.6g}", point.step, point.minutes);
  for (const Measured& each : kMeasured)
    if (const auto& number = point.*each.member)
      text += fmt::format(",\"{}\":{:.6g}", each.name, *number);
  return text + "}";
}

HistoryPoint parse_history_line(std::string_view line) {
  const auto members = formats::parse_json(line);
  const auto step = step_of(members);
  if (!step) throw Error("no point of a history", "{\"step\": 100, \"minutes\": 0.5, ...}");
  const auto minutes = finite_at(members, "minutes");
  if (!minutes || *minutes < 0) throw Error("no minutes", "a number of at least 0");
  HistoryPoint point{*step, *minutes};
  for (const Measured& each : kMeasured) {
    point.*each.member = finite_at(members, each.name);
    if (members.contains(each.name) && !(point.*each.member))
      throw Error(fmt::format("{} is no number", each.name), "a number");
  }
  return point;
}

History read_history(const fs::path& folder) {
  History history;
  if (!is_there(folder / kHistoryFile)) return history;
  formats::read_checked_file(folder / kHistoryFile);
  LineReader lines((folder / kHistoryFile).string(), Reading::kFile);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    history.push_back(with_location(lines.path(), lines.line_number(), [&] {
      HistoryPoint point = parse_history_line(line);
      if (!history.empty() && point.step < history.back().step)
        throw Error("a step before the last one", "steps in their order");
      return point;
    }));
  }
  return history;
}

void write_history(const fs::path& folder, const History& history) {
  std::string text;
  for (const HistoryPoint& point : history) text += history_line(point) + "\n";
  write_file((folder / kHistoryFile).string(), text);
}

History history_of(const fs::path& model) { return history_through(without_end(model), 1); }

History history_of(std::span<const std::string> folders) {
  History all;
  for (const std::string& folder : folders) {
    const History one = alone(without_end(folder));
    if (one.empty())
      throw Error(fmt::format("{} has no history", in_quotes(folder)),
                  "a run's folder with metrics.jsonl, one of its checkpoints, or a model with "
                  "history.jsonl");
    all = joined(std::move(all), one);
  }
  return all;
}

}  // namespace mgdm::model_files
