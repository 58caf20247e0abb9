#include "evaluation/loss_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/markdown_table.h"
#include "formats/svg_figure.h"

namespace mgdm::evaluation {
namespace {

using evaluation::Losses;
using evaluation::LossTable;
using evaluation::TokenLosses;
using formats::Align;
using Json = nlohmann::ordered_json;

// One past the last position with a counted token.
std::size_t used_positions(const LossTable& table) {
  std::size_t used = table.positions();
  while (used > 0 && table.of_position(used - 1).count == 0) --used;
  return used;
}

std::string loss_cell(const TokenLosses& losses) {
  return losses.count == 0 ? "" : fmt::format("{:.4f}", losses.loss());
}

std::string accuracy_cell(const TokenLosses& losses) {
  return losses.count == 0 ? "" : fmt::format("{:.1f}", 100 * losses.accuracy());
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// `get(i)` for i < count as two lists, loss and token_accuracy, with `over` behind their names.
template <class Get>
void add_lists(Json& json, const std::string& over, std::size_t count, Get&& get) {
  Json& losses = json["loss" + over] = Json::array();
  Json& accuracies = json["token_accuracy" + over] = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const TokenLosses cell = get(i);
    losses.push_back(number(cell.loss()));
    accuracies.push_back(number(cell.accuracy()));
  }
}

Json losses_json(const Losses& losses) {
  const LossTable& table = losses.noised;
  const std::size_t positions = used_positions(table);
  Json json;
  json["loss"] = number(table.all().loss());
  json["token_accuracy"] = number(table.all().accuracy());
  add_lists(json, "_by_level", table.levels(), [&](std::size_t t) { return table.of_level(t); });
  add_lists(json, "_by_position", positions, [&](std::size_t n) { return table.of_position(n); });
  if (losses.left_to_right)
    add_lists(json, "_left_to_right", used_positions(*losses.left_to_right),
              [&](std::size_t n) { return losses.left_to_right->of_position(n); });
  const evaluation::SubgoalLosses& subgoal = losses.at_subgoal;
  if (std::ranges::any_of(subgoal.by_level, [](const TokenLosses& t) { return t.count > 0; }))
    add_lists(json, "_at_subgoal_by_level", subgoal.by_level.size(),
              [&](std::size_t t) { return subgoal.by_level[t]; });
  for (const auto& [context, token] : subgoal.by_context) {
    json["loss_at_subgoal_by_context"][context] = number(token.loss());
    json["token_accuracy_at_subgoal_by_context"][context] = number(token.accuracy());
  }
  Json& matrix = json["loss_by_level_and_position"] = Json::array();
  Json& accuracies = json["token_accuracy_by_level_and_position"] = Json::array();
  for (std::size_t t = 0; t < table.levels(); ++t) {
    Json row = Json::array(), accuracy_row = Json::array();
    for (std::size_t n = 0; n < positions; ++n) {
      row.push_back(number(table.at(t, n).loss()));
      accuracy_row.push_back(number(table.at(t, n).accuracy()));
    }
    matrix.push_back(std::move(row));
    accuracies.push_back(std::move(accuracy_row));
  }
  return json;
}

std::string levels_text(const std::string& task, const LossTable& table) {
  formats::MarkdownTable out({{task + ": t", Align::kRight},
                              {"noised %", Align::kRight},
                              {"loss", Align::kRight},
                              {"token accuracy %", Align::kRight}});
  const auto levels = static_cast<double>(table.levels());
  for (std::size_t t = 0; t < table.levels(); ++t) {
    const TokenLosses level = table.of_level(t);
    out.add_row({std::to_string(t),
                 fmt::format("{:.0f}", 100 * (static_cast<double>(t) + 1) / levels),
                 loss_cell(level), accuracy_cell(level)});
  }
  out.add_row({"all", "", loss_cell(table.all()), accuracy_cell(table.all())});
  return out.text();
}

constexpr std::size_t kHardest = 10;

std::string positions_text(const std::string& title, const Losses& losses) {
  const LossTable& table = losses.noised;
  std::vector<std::size_t> hardest;
  for (std::size_t n = 0; n < table.positions(); ++n)
    if (table.of_position(n).count > 0) hardest.push_back(n);
  std::stable_sort(hardest.begin(), hardest.end(), [&](std::size_t a, std::size_t b) {
    return table.of_position(a).loss() > table.of_position(b).loss();
  });
  hardest.resize(std::min(hardest.size(), kHardest));
  std::sort(hardest.begin(), hardest.end());
  std::vector<formats::MarkdownTable::Column> columns{
      {title, Align::kRight}, {"loss", Align::kRight}, {"token accuracy %", Align::kRight}};
  if (losses.left_to_right) columns.push_back({"loss left to right", Align::kRight});
  formats::MarkdownTable out(columns);
  for (const std::size_t n : hardest) {
    const TokenLosses position = table.of_position(n);
    std::vector<std::string> row{std::to_string(n), loss_cell(position), accuracy_cell(position)};
    if (losses.left_to_right) row.push_back(loss_cell(losses.left_to_right->of_position(n)));
    out.add_row(row);
  }
  return out.text();
}

template <class Get>
formats::Curve curve(const std::string& name, std::size_t count, Get&& get) {
  formats::Curve out{name, {}};
  for (std::size_t i = 0; i < count; ++i)
    out.points.push_back({static_cast<double>(i), get(i)});  // not finite: a gap
  return out;
}

formats::Curve loss_curve(const std::string& name, const LossTable& table, Axis axis) {
  if (axis == Axis::kLevel)
    return curve(name, table.levels(), [&](std::size_t t) { return table.of_level(t).loss(); });
  return curve(name, used_positions(table),
               [&](std::size_t n) { return table.of_position(n).loss(); });
}

// What the hard subgoal of a planning distance takes by what is shown around it.
std::string subgoals_text(const evaluation::LossProfile& profile) {
  std::vector<formats::MarkdownTable::Column> columns{{"loss of the hard subgoal"}};
  for (const auto& [context, token] : profile.all.at_subgoal.by_context)
    columns.push_back({context + " shown", Align::kRight});
  formats::MarkdownTable out(columns);
  for (const auto& [distance, losses] : profile.by_planning_distance) {
    if (losses.at_subgoal.by_context.empty()) continue;
    std::vector<std::string> row{fmt::format("planning distance {}", distance)};
    for (const auto& [context, token] : losses.at_subgoal.by_context)
      row.push_back(loss_cell(token));
    out.add_row(row);
  }
  return out.text();
}

}  // namespace

std::string loss_text(const std::string& task, const evaluation::LossProfile& profile) {
  const Losses& all = profile.all;
  std::string out;
  if (all.noised.levels() > 1) out += levels_text(task, all.noised) + "\n";
  out += positions_text("hardest positions", all);
  if (profile.by_planning_distance.empty()) return out;
  formats::MarkdownTable distances({{"planning distance"},
                                    {"loss", Align::kRight},
                                    {"token accuracy %", Align::kRight},
                                    {"hardest position", Align::kRight},
                                    {"its loss", Align::kRight}});
  for (const auto& [distance, losses] : profile.by_planning_distance) {
    const LossTable& table = losses.noised;
    std::size_t hardest = 0;
    for (std::size_t n = 1; n < used_positions(table); ++n)
      if (table.of_position(n).loss() > table.of_position(hardest).loss()) hardest = n;
    distances.add_row({std::to_string(distance), loss_cell(table.all()), accuracy_cell(table.all()),
                       std::to_string(hardest), loss_cell(table.of_position(hardest))});
  }
  out += "\n" + distances.text();
  if (!profile.all.at_subgoal.by_context.empty()) out += "\n" + subgoals_text(profile);
  return out;
}

nlohmann::ordered_json loss_json(const std::string& task, std::size_t examples,
                                 const evaluation::LossProfile& profile) {
  Json json;
  json["task"] = task;
  json["n"] = examples;
  json["levels"] = profile.all.noised.levels();
  json["positions"] = used_positions(profile.all.noised);
  json.update(losses_json(profile.all));
  for (const auto& [distance, losses] : profile.by_planning_distance)
    json["by_planning_distance"][std::to_string(distance)] = losses_json(losses);
  return json;
}

std::string loss_figure(const std::string& task, const evaluation::LossProfile& profile,
                        Axis axis) {
  formats::LineChart chart;
  chart.labels.title = "Loss, " + task;
  chart.labels.x = axis == Axis::kLevel ? "noise level t" : "position in the answer";
  chart.labels.y = "cross entropy, nats";
  if (profile.by_planning_distance.size() > 1) {
    for (const auto& [distance, losses] : profile.by_planning_distance)
      chart.curves.push_back(
          loss_curve(fmt::format("planning distance {}", distance), losses.noised, axis));
  } else {
    chart.curves.push_back(loss_curve("mean", profile.all.noised, axis));
    if (axis == Axis::kPosition && profile.all.left_to_right)
      chart.curves.push_back(loss_curve("left to right", *profile.all.left_to_right, axis));
  }
  return to_svg(chart);
}

}  // namespace mgdm::evaluation
