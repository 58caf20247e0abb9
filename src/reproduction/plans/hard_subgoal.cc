// The loss of a hard subgoal (figure 3): what left-to-right models must predict without looking
// ahead is easier where some of what follows is shown.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "formats/jsonl.h"
#include "reproduction/plan.h"
#include "reproduction/puzzles.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {
namespace {

constexpr const char* kLeftToRight = "paper/planning-tiny-ar";
constexpr const char* kDiffusion = "paper/planning-tiny-mgdm-1200";
constexpr const char* kDistance = "3";
constexpr int kLevels = 20;

// Writes the puzzles; the name of the file.
std::string write_puzzles(const Context& context) {
  const std::filesystem::path folder = context.out / "hard-subgoal";
  std::filesystem::create_directories(folder);
  AtomicFile file((folder / "puzzles.jsonl").string());
  for (const tasks::Example& puzzle : puzzles_of({.task = "planning"}, context))
    file.write(formats::jsonl_line({{"input", puzzle.input}, {"output", puzzle.output}}));
  file.commit();
  return (folder / "puzzles.jsonl").string();
}

// The losses of a model at planning distance 3; null where they cannot be measured, with a note.
// The puzzles are written when they are needed first.
Json losses_of(const Context& context, const std::string& model, std::string& puzzles,
               std::string& note) {
  const auto trained = find_trained(context, model);
  if (!trained) {
    note = fmt::format("not trained yet: mgdm train {}", recipe_words(model));
    return nullptr;
  }
  if (!context.trainer.losses) {
    note = "losses need the program with LibTorch";
    return nullptr;
  }
  note = trained->note;
  if (puzzles.empty()) puzzles = write_puzzles(context);
  std::filesystem::path json = std::filesystem::path(puzzles).parent_path() /
                               (std::filesystem::path(model).filename().string() + ".json");
  context.trainer.losses(trained->folder, puzzles, json.string());
  const Json all = Json::parse(read_file(json), nullptr, /*allow_exceptions=*/false);
  MGDM_CHECK(all.contains("by_planning_distance"));
  return all["by_planning_distance"].value(kDistance, Json(nullptr));
}

double loss_number(const Json& json) { return json.is_number() ? json.get<double>() : 0; }

// The position that is hardest from left to right.
std::size_t hardest(const Json& losses) {
  std::size_t found = 0;
  for (std::size_t n = 1; n < losses.size(); ++n)
    if (loss_number(losses[n]) > loss_number(losses[found])) found = n;
  return found;
}

TableRow constant(const std::string& label, std::optional<double> loss, const std::string& note) {
  TableRow row{label, {}};
  for (int t = 0; t < kLevels; ++t) {
    row.values.emplace_back();
    row.values.back().ours = loss;
    row.values.back().note = note;
  }
  return row;
}

std::vector<TableRow> hard_subgoal(const Context& context) {
  std::string puzzles, note;
  const Json ar = losses_of(context, kLeftToRight, puzzles, note);
  std::optional<double> loss;
  std::size_t place = 0;
  if (!ar.is_null()) {
    place = hardest(ar.at("loss_by_position"));
    loss = loss_number(ar["loss_by_position"][place]);
  }
  std::vector<TableRow> rows{constant("AR, left to right", loss, note)};
  note.clear();
  const Json diffusion = losses_of(context, kDiffusion, puzzles, note);
  if (diffusion.is_null()) {
    rows.push_back(constant("MGDM", std::nullopt, note));
    return rows;
  }
  const Json& alone = diffusion.at("loss_left_to_right");
  if (ar.is_null()) place = hardest(alone);
  rows.push_back(constant("MGDM, nothing shown from here on", loss_number(alone.at(place)), note));
  TableRow row{"MGDM, by noise level", {}};
  for (const Json& level : diffusion.at("loss_by_level_and_position")) {
    row.values.emplace_back();
    row.values.back().ours = loss_number(level.at(place));
    row.values.back().note = note;
  }
  rows.push_back(row);
  return rows;
}

}  // namespace

Plan hard_subgoal_plan() {
  Table frame{"hard-subgoal", "Planning: the loss of a hard subgoal by noise level",
              "Figure 3"};
  frame.corner = "noise level t";
  for (int t = 0; t < kLevels; ++t) frame.columns.push_back(std::to_string(t));
  frame.unit = "cross entropy, nats";
  frame.chart = Chart::kLines;
  frame.notes = {
      "At planning distance 3, at the position of the answer that is hardest from left to right. "
      "Unweighted; (t + 1) / 20 of the answer is masked. The paper prints no numbers."};
  Plan plan{frame, {}, hard_subgoal};
  plan.models = {kLeftToRight, kDiffusion};
  return plan;
}

}  // namespace mgdm::reproduction
