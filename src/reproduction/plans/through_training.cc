// Accuracy through training (figure 5): AR for as many steps as diffusion, and diffusion by its
// weights.
#include <fmt/format.h>

#include "model_files/checkpoints.h"
#include "reproduction/plan.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {
namespace {

struct Watched {
  std::string label, recipe;
};

const std::vector<Watched>& watched() {
  static const std::vector<Watched> kWatched{
      {"AR", "paper/countdown-4-base-ar-600"},
      {"MGDM, no weights", "paper/countdown-4-base-none"},
      {"MGDM, linear", "paper/countdown-4-base-linear"},
      {"MGDM, linear + (0.25, 2)", "paper/countdown-4-base-mgdm"}};
  return kWatched;
}

// What a run has measured on its way to so many steps.
struct Course {
  std::vector<formats::Curve::Point> points;
  double steps = 0;
  std::string note = {};
};

// The curve of the whole run, or of a shortened one if only that has measured anything.
Course course_of(const Context& context, const std::string& recipe) {
  Course whole{
      formats::read_metric(run_folder(context, recipe) / "metrics.jsonl", "accuracy_paper"),
      static_cast<double>(planned_steps(spec::read_recipe(recipe_file(recipe), {})))};
  if (!whole.points.empty()) return whole;
  Course part{
      formats::read_metric(short_run_folder(context, recipe) / "metrics.jsonl", "accuracy_paper")};
  const auto newest = model_files::newest_checkpoint(short_run_folder(context, recipe));
  if (newest && !part.points.empty()) {
    part.steps = static_cast<double>(model_files::checkpoint_step(*newest).value_or(0));
    part.note = fmt::format("of {:g} steps instead of {:g}", part.steps, whole.steps);
    const auto puzzles =
        formats::read_metric(short_run_folder(context, recipe) / "metrics.jsonl", "puzzles");
    if (!puzzles.empty()) part.note += fmt::format(", on {:g} puzzles", puzzles.back().y);
    return part;
  }
  whole.note = fmt::format("no accuracy on the way: mgdm train {} training.evaluate_every=5000",
                           recipe_words(recipe));
  return whole;
}

constexpr int kEvery = 5;  // %

// The last accuracy that was measured up to each column; none before the first.
std::vector<TableRow> through_training(const Context& context, const TimeLeft&) {
  std::vector<TableRow> rows;
  for (const auto& [label, recipe] : watched()) {
    TableRow row{label, {}};
    const Course course = course_of(context, recipe);
    const double last = course.points.empty() ? 0 : course.points.back().x;
    for (int percent = kEvery; percent <= 100; percent += kEvery) {
      Value value;
      for (const formats::Curve::Point& point : course.points)
        if (point.x <= course.steps * percent / 100 &&
            last >= course.steps * (percent - kEvery) / 100)
          value.ours = 100 * point.y;
      value.note = course.note;
      row.values.push_back(value);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Plan convergence_plan() {
  Table frame{"convergence", "Countdown-4: accuracy through training", "Figure 5"};
  frame.corner = "% of the steps";
  for (int percent = kEvery; percent <= 100; percent += kEvery)
    frame.columns.push_back(std::to_string(percent));
  frame.chart = Chart::kLines;
  frame.notes = {"As the run itself measured: training.evaluate_every."};
  Plan plan{frame, {}, through_training};
  for (const Watched& each : watched()) plan.models.push_back(each.recipe);
  plan.watches_accuracy = true;
  return plan;
}

}  // namespace mgdm::reproduction
