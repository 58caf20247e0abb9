// Accuracy through training (figure 5): AR for as many steps as diffusion, and diffusion by
// its weights.
#include <fmt/format.h>

#include "reproduction/metrics.h"
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

constexpr int kEvery = 5;  // %

// The last accuracy that was measured up to each column; none before the first.
std::vector<TableRow> through_training(const Context& context) {
  std::vector<TableRow> rows;
  for (const auto& [label, recipe] : watched()) {
    TableRow row{label, {}};
    const auto steps =
        static_cast<double>(planned_steps(spec::read_recipe(recipe_file(recipe), {})));
    const auto points = read_metric(run_folder(context, recipe), "accuracy_paper");
    const double last = points.empty() ? 0 : points.back().x;
    for (int percent = kEvery; percent <= 100; percent += kEvery) {
      Value value;
      for (const formats::Curve::Point& point : points)
        if (point.x <= steps * percent / 100 && last >= steps * (percent - kEvery) / 100)
          value.ours = 100 * point.y;
      if (points.empty())
        value.note =
            fmt::format("no accuracy on the way: mgdm train {} training.evaluate_every=5000",
                        recipe_words(recipe));
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
  plan.overrides = {"training.evaluate_every=5000"};
  return plan;
}

}  // namespace mgdm::reproduction
