#include "reproduction/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/version.h"
#include "formats/svg_figure.h"
#include "reproduction/json_members.h"
#include "reproduction/metrics.h"
#include "reproduction/plan.h"
#include "spec/checkpoints.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 8u << 20;  // bytes of a result

std::optional<Json> read_json(const fs::path& file) {
  std::error_code ignored;
  if (fs::file_size(file, ignored) > kLargest || ignored) return std::nullopt;
  Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return std::nullopt;
  return json;
}

// A figure without what only a file of its own has before it.
std::string inline_svg(const std::string& svg) {
  const std::size_t begin = svg.find("<svg");
  return begin == std::string::npos ? "" : svg.substr(begin);
}

std::optional<PageTable> read_table(const fs::path& file) {
  const auto json = read_json(file);
  if (!json || !json->contains("rows") || !json->contains("columns")) return std::nullopt;
  try {
    PageTable shown{from_json(*json)};
    shown.revision = text_at(*json, "git_revision");
    fs::path figure = file;
    figure.replace_extension(".svg");
    if (is_there(figure)) shown.figure = inline_svg(read_file(figure));
    return shown;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<PageScore> read_score(const fs::path& file) {
  const auto json = read_json(file);
  if (!json) return std::nullopt;
  const auto accuracy = number_at(*json, "accuracy"), n = number_at(*json, "n");
  if (!accuracy || !n || text_at(*json, "task").empty()) return std::nullopt;
  PageScore score{file.string(), text_at(*json, "task"), text_at(*json, "model")};
  if (score.model.empty()) score.model = text_at(object_at(*json, "settings"), "model");
  score.n = static_cast<std::size_t>(*n);
  score.accuracy = *accuracy;
  score.error = number_at(*json, "stderr").value_or(0);
  score.accuracy_paper = number_at(*json, "accuracy_paper");
  score.revision = text_at(*json, "git_revision");
  return score;
}

std::optional<PageRun> read_run(const fs::path& folder) {
  if (!is_there(folder / "metrics.jsonl")) return std::nullopt;
  PageRun run{folder.filename().string()};
  if (is_there(folder / "env.json"))
    if (const auto facts = read_json(folder / "env.json")) {
      run.recipe = text_at(*facts, "recipe");
      run.revision = text_at(*facts, "git_revision");
      run.device = text_at(*facts, "device");
    }
  formats::LineChart chart;
  chart.labels = {.title = run.name, .x = "step", .y = "accuracy, %"};
  chart.curves = {{"accuracy", {}}, {"accuracy_paper", {}}};
  for (formats::Curve& curve : chart.curves)
    for (const formats::Curve::Point& point : read_metric(folder, curve.name))
      curve.points.push_back({point.x, 100 * point.y});
  if (!chart.curves[0].points.empty()) run.accuracy = chart.curves[0].points.back().y / 100;
  for (const auto& [step, path] : spec::checkpoints(folder)) run.step = step;
  std::erase_if(chart.curves, [](const formats::Curve& curve) { return curve.points.size() < 2; });
  if (!chart.curves.empty()) run.figure = inline_svg(to_svg(chart));
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
    if (it->is_directory(ignored) &&
        (name == "cells" || name == "prompt-cache" || name.starts_with(spec::kCheckpointPrefix)))
      it.disable_recursion_pending();
    else if (it->path().extension() == ".json")
      found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Its place among the plans; behind all of them for another.
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
  for (const fs::path& folder : {results, runs})
    for (const fs::path& file : json_files(folder)) {
      if (auto table = read_table(file))
        page.tables.push_back(*std::move(table));
      else if (auto score = read_score(file))
        page.scores.push_back(*std::move(score));
    }
  std::ranges::stable_sort(page.tables, {},
                           [](const PageTable& shown) { return place_of(shown.table); });
  for (const fs::path& folder : files_in(runs))
    if (auto run = read_run(folder)) page.runs.push_back(*std::move(run));
  return page;
}

}  // namespace mgdm::reproduction
