#include "cli/score_report.h"

#include <fmt/format.h>

#include "formats/markdown_table.h"

namespace mgdm::cli {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

}  // namespace

std::string score_text(const std::string& task, const tasks::Score& score) {
  using formats::Align;
  const tasks::Tally& all = score.all;
  std::string out;
  formats::MarkdownTable table({{task},
                                {"n", Align::kRight},
                                {"accuracy %", Align::kRight},
                                {"accuracy_paper %", Align::kRight}});
  const auto with_error = [](double share, double error) {
    return fmt::format("{} ± {}", percent(share), percent(error));
  };
  table.add_row({"all", std::to_string(all.n), with_error(all.accuracy(), all.standard_error()),
                 with_error(all.accuracy_paper(), all.standard_error_paper())});
  for (const auto& [distance, tally] : score.by_planning_distance)
    table.add_row({fmt::format("planning distance {}", distance), std::to_string(tally.n),
                   percent(tally.accuracy()), percent(tally.accuracy_paper())});
  out += table.text();
  if (score.errors.empty()) return out;

  formats::MarkdownTable errors(
      {{"what went wrong"}, {"answers", Align::kRight}, {"where first (place: answers)"}});
  for (const auto& [category, count] : score.errors) {
    std::string places;
    for (const auto& [place, n] : count.by_place)
      places += fmt::format("{}{}: {}", places.empty() ? "" : ", ", place, n);
    errors.add_row({category, std::to_string(count.answers), places});
  }
  return out + "\n" + errors.text();
}

nlohmann::ordered_json score_json(const std::string& task, const tasks::Score& score) {
  nlohmann::ordered_json json;
  json["task"] = task;
  json["n"] = score.all.n;
  json["accuracy"] = score.all.accuracy();
  json["accuracy_paper"] = score.all.accuracy_paper();
  json["stderr"] = score.all.standard_error();
  json["stderr_paper"] = score.all.standard_error_paper();
  json["errors"] = nlohmann::ordered_json::object();
  json["errors_by_place"] = nlohmann::ordered_json::object();
  for (const auto& [category, count] : score.errors) {
    json["errors"][category] = count.answers;
    for (const auto& [place, n] : count.by_place)
      json["errors_by_place"][category][std::to_string(place)] = n;
  }
  for (const auto& [distance, tally] : score.by_planning_distance)
    json["accuracy_by_planning_distance"][std::to_string(distance)] = {
        {"n", tally.n}, {"accuracy", tally.accuracy()}, {"accuracy_paper", tally.accuracy_paper()}};
  return json;
}

}  // namespace mgdm::cli
