#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/version.h"
#include "formats/json_text.h"
#include "formats/jsonl.h"
#include "formats/svg_figure.h"
#include "model_files/checkpoints.h"
#include "model_files/history.h"
#include "reproduction/html_page.h"
#include "reproduction/kept_results.h"
#include "reproduction/plan.h"
#include "spec/overrides.h"
#include "spec/recipe.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 8u << 20;  // bytes of a result

Json read_json(const fs::path& file) {
  Json json = formats::parse_ordered_json(read_file(file, kLargest));
  if (!json.is_object()) throw Error(fmt::format("{} is no JSON object", file.string()));
  return json;
}

std::optional<PageTable> read_table(const fs::path& file, const Json& json) {
  if (!json.contains("rows") || !json.contains("columns")) return std::nullopt;
  PageTable shown{from_json(json)};
  shown.revision = text_at(json, "git_revision");
  fs::path figure = file;
  figure.replace_extension(".svg");
  if (is_there(figure)) shown.figure = read_file(figure, kLargest);
  return shown;
}

// "topk, 20 steps, 8 loops": of the settings that a result was made with, those that counted.
std::string decoding_words(const Json& settings) {
  std::string words = text_at(settings, "decoding");
  for (const char* const name : {"steps", "loops"})
    if (const auto number = number_at(settings, name); number && *number > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", *number, name);
  return words;
}

// "tot, 1400 prompt and 2500 generated tokens": of what `mgdm prompt` has asked.
std::string prompting_words(const Json& json) {
  std::string words = text_at(json, "method");
  const auto prompt = number_at(json, "prompt_tokens"),
             generated = number_at(json, "generated_tokens");
  if (!words.empty() && prompt && generated)
    words += fmt::format(", {:.0f} prompt and {:.0f} generated tokens", *prompt, *generated);
  return words;
}

std::optional<PageScore> read_score(const fs::path& file, const Json& json) {
  const auto accuracy = number_at(json, "accuracy");
  const auto n = count_at(json, "n");
  if (!accuracy || !n || text_at(json, "task").empty()) return std::nullopt;
  PageScore score{file.string(), text_at(json, "task"), text_at(json, "model")};
  const Json settings = object_at(json, "settings");
  if (score.model.empty()) score.model = text_at(settings, "model");
  score.decoding = prompting_words(json);
  if (score.decoding.empty()) score.decoding = decoding_words(settings);
  score.n = *n;
  score.accuracy = *accuracy;
  score.error = number_at(json, "stderr").value_or(0);
  score.accuracy_paper = number_at(json, "accuracy_paper");
  score.revision = text_at(json, "git_revision");
  return score;
}

// What a run's settings change in its recipe as that is now: "objective.beta = 1.0, seed = 2".
// Empty where one of them cannot be read.
std::string changes_of(const fs::path& folder, const std::string& recipe) {
  try {
    std::string words;
    for (const auto& [key, was, is] :
         spec::changes(spec::read_recipe(recipe, {}),
                       spec::read_recipe((folder / "config.toml").string(), {})))
      words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", key, is);
    return words;
  } catch (const Error&) {
    return "";
  }
}

// A line per measure through training, of at least two points each; empty where there is none.
using Measure = std::optional<double> model_files::HistoryPoint::*;
std::string curves(const std::string& title, const char* unit, double factor,
                   const model_files::History& history,
                   const std::vector<std::pair<const char*, Measure>>& measures) {
  formats::LineChart chart;
  chart.labels = {.title = title, .x = "step", .y = unit};
  for (const auto& [name, measure] : measures) {
    formats::Curve curve{name, {}};
    for (const model_files::HistoryPoint& point : history)
      if (point.*measure)
        curve.points.push_back({static_cast<double>(point.step), factor * *(point.*measure)});
    if (curve.points.size() > 1) chart.curves.push_back(curve);
  }
  return chart.curves.empty() ? "" : to_svg(chart);
}

// The last step that its metrics or checkpoints know of, what was measured last of each kind, and
// the curves.
void read_progress(const fs::path& folder, PageRun& run) {
  using model_files::HistoryPoint;
  for (const auto& [step, path] : model_files::checkpoints(folder)) run.step = step;
  if (!is_there(folder / "metrics.jsonl")) return;
  const model_files::History history = model_files::read_metrics(folder / "metrics.jsonl");
  constexpr std::size_t kMostPoints = 500;
  const model_files::History drawn = model_files::thinned(history, kMostPoints);
  run.losses =
      curves(run.name, "loss", 1, drawn,
             {{"held-out loss", &HistoryPoint::held_out_loss}, {"loss", &HistoryPoint::loss}});
  run.accuracies = curves(
      run.name, "accuracy, %", 100, drawn,
      {{"accuracy", &HistoryPoint::accuracy}, {"accuracy_paper", &HistoryPoint::accuracy_paper}});
  for (const HistoryPoint& point : history) {
    run.step = std::max(run.step, point.step);
    if (point.held_out_loss) run.held_out_loss = point.held_out_loss;
    if (point.token_accuracy) run.token_accuracy = point.token_accuracy;
    if (point.accuracy) run.accuracy = point.accuracy;
  }
}

// A run has its settings from the start, and metrics some steps later.
bool is_run(const fs::path& folder) {
  return is_there(folder / "config.toml") || is_there(folder / "metrics.jsonl");
}

PageRun read_run(const fs::path& folder, const std::string& name) {
  PageRun run{name};
  if (is_there(folder / "env.json")) {
    const Json facts = attempt([&] { return read_json(folder / "env.json"); },
                               [](const Error&) { return Json::object(); });
    run.recipe = text_at(facts, "recipe");
    run.revision = text_at(facts, "git_revision");
    run.device = text_at(facts, "device");
  }
  const bool in_a_file = !run.recipe.empty() && run.recipe != "-";  // that came by standard input
  if (in_a_file) run.changes = changes_of(folder, run.recipe);
  read_progress(folder, run);
  return run;
}

// JSON files below a folder, sorted; not those of checkpoints and of cells, which tables show.
std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (it->is_directory(ignored) && (name == "cells" || name == "prompt-cache" ||
                                      name.starts_with(model_files::kCheckpointPrefix)))
      it.disable_recursion_pending();
    else if (it->path().extension() == ".json" && it->is_regular_file(ignored))
      found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A table's place among the plans; a table of no plan comes after all of them.
std::size_t place_of(const Table& table) {
  const auto& all = plans();
  const auto found =
      std::ranges::find_if(all, [&](const Plan& plan) { return plan.frame.name == table.name; });
  return static_cast<std::size_t>(found - all.begin());
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  ::gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

}  // namespace

Page gather(const fs::path& results, const fs::path& runs) {
  Page page{version(), git_revision(), today()};
  const auto unless_unreadable = [&](const fs::path& path, const auto& read) {
    attempt(read, [&](const Error&) { page.unreadable.push_back(path.string()); });
  };
  for (const fs::path& folder : {results, runs})
    for (const fs::path& file : json_files(folder))
      unless_unreadable(file, [&] {
        const Json json = read_json(file);
        if (auto table = read_table(file, json))
          page.tables.push_back(*std::move(table));
        else if (auto score = read_score(file, json))
          page.scores.push_back(*std::move(score));
      });
  std::ranges::stable_sort(page.tables, {},
                           [](const PageTable& shown) { return place_of(shown.table); });
  for (const fs::path& folder : files_in(runs))
    unless_unreadable(folder, [&] {
      std::vector<fs::path> found{folder};
      if (!is_run(folder)) found = files_in(folder);  // train --seeds puts its runs there
      for (const fs::path& run : found)
        if (is_run(run)) page.runs.push_back(read_run(run, run.lexically_relative(runs).string()));
    });
  return page;
}

}  // namespace mgdm::reproduction
