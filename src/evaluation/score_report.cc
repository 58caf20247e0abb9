#include "evaluation/score_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/version.h"
#include "formats/json_text.h"
#include "formats/markdown_table.h"

namespace mgdm::evaluation {
namespace {

bool is_about_output(std::string_view key) {
  constexpr std::array<std::string_view, 8> kOutput{"json",   "md",          "csv",     "losses",
                                                    "figure", "predictions", "explain", "quiet"};
  return std::find(kOutput.begin(), kOutput.end(), key) != kOutput.end();
}

std::string percent(double fraction) { return fmt::format("{:.1f}", 100 * fraction); }

std::string percent(std::optional<double> fraction) {
  return fraction ? percent(*fraction) : "n/a";
}

std::string with_error(std::optional<double> fraction, std::optional<double> error) {
  return fraction ? fmt::format("{} ± {}", percent(fraction), percent(error)) : "n/a";
}

// The paper's metric of all answers, with their number where it applies to some only.
std::string paper_cell(const tasks::Tally& tally) {
  const bool some = tally.n_paper != 0 && tally.n_paper != tally.n;
  return with_error(tally.accuracy_paper(), tally.standard_error_paper()) +
         (some ? fmt::format(" (of {})", tally.n_paper) : "");
}

}  // namespace

std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings) {
  auto& used = result["settings"] = nlohmann::ordered_json::object();
  for (const config::Field& field : settings)
    if (!is_about_output(field.key))
      std::visit([&](const auto* value) { used[field.key] = *value; }, field.target);
  result["version"] = version();
  result["git_revision"] = git_revision();
  return formats::json_text(result, 2) + "\n";
}

std::FILE* for_people(std::initializer_list<std::string_view> results) {
  return std::any_of(results.begin(), results.end(), is_standard_output) ? stderr : stdout;
}

std::string score_text(const std::string& task, const tasks::Score& score) {
  using formats::Align;
  const tasks::Tally& all = score.all;
  std::string out;
  formats::MarkdownTable table({{task},
                                {"n", Align::kRight},
                                {"accuracy %", Align::kRight},
                                {"accuracy_paper %", Align::kRight}});
  table.add_row({"all", std::to_string(all.n), with_error(all.accuracy(), all.standard_error()),
                 paper_cell(all)});
  for (const auto& [distance, tally] : score.by_planning_distance)
    table.add_row({fmt::format("planning distance {}", distance), std::to_string(tally.n),
                   percent(tally.accuracy()), percent(tally.accuracy_paper())});
  for (const auto& [first, tally] : score.by_guesses)
    table.add_row(
        {tasks::name_of_guesses(first) + (first < tasks::Graded::kManySolutions ? " guesses" : ""),
         std::to_string(tally.n), percent(tally.accuracy()), percent(tally.accuracy_paper())});
  out += table.text();
  if (score.not_checked > 0) out += fmt::format("\n{} answers not checked\n", score.not_checked);
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

nlohmann::ordered_json tally_json(const tasks::Tally& tally) {
  return {{"n", tally.n},
          {"accuracy", tally.accuracy()},
          {"accuracy_paper", number_or_null(tally.accuracy_paper())}};
}

nlohmann::ordered_json score_json(const std::string& task, const tasks::Score& score) {
  nlohmann::ordered_json json;
  json["task"] = task;
  json["n"] = score.all.n;
  json["accuracy"] = score.all.accuracy();
  json["accuracy_paper"] = number_or_null(score.all.accuracy_paper());
  json["stderr"] = score.all.standard_error();
  json["stderr_paper"] = number_or_null(score.all.standard_error_paper());
  if (score.not_checked > 0) json["not_checked"] = score.not_checked;
  if (score.all.n_paper != score.all.n) json["n_paper"] = score.all.n_paper;
  json["errors"] = nlohmann::ordered_json::object();
  json["errors_by_place"] = nlohmann::ordered_json::object();
  json["errors_at_place"] = nlohmann::ordered_json::object();
  for (const auto& [category, count] : score.errors) {
    json["errors"][category] = count.answers;
    for (const auto& [place, n] : count.by_place)
      json["errors_by_place"][category][std::to_string(place)] = n;
    for (const auto& [place, n] : count.at_place)
      json["errors_at_place"][category][std::to_string(place)] = n;
  }
  for (const auto& [distance, tally] : score.by_planning_distance)
    json["accuracy_by_planning_distance"][std::to_string(distance)] = tally_json(tally);
  for (const auto& [first, tally] : score.by_guesses)
    json["accuracy_by_guesses"][tasks::name_of_guesses(first)] = tally_json(tally);
  return json;
}

nlohmann::ordered_json number_or_null(std::optional<double> value) {
  if (!value) return nullptr;
  return *value;
}

}  // namespace mgdm::evaluation
