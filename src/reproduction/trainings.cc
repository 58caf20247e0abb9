#include "reproduction/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/paths.h"
#include "reproduction/measure.h"
#include "reproduction/trained.h"
#include "reproduction/weights.h"
#include "spec/checkpoints.h"

namespace mgdm::reproduction {
namespace {

bool is_whole(const Context& context, const std::string& recipe) {
  const auto trained = find_trained(context, recipe);
  return trained && trained->note.empty();
}

// Whether there is something of the whole training: it is used then, and no shortened one beside
// it.
bool has_begun(const Context& context, const std::string& recipe) {
  return spec::newest_checkpoint(run_folder(context, recipe)).has_value();
}

// With a budget, of which each training gets `seconds`.
bool is_long_enough(const Context& context, const std::string& recipe, double seconds) {
  constexpr double kAlmost = 0.99;  // settings are written with fewer digits
  return has_begun(context, recipe) || short_seconds(context, recipe) >= kAlmost * seconds;
}

// A recipe shortened to some seconds, of which a whole step takes `step_seconds`.
struct Short {
  std::int64_t batch = 0, examples = 0;
  double steps = 0;
};

Short shortened_to(double seconds, const spec::Recipe& recipe, double step_seconds) {
  // Enough steps to learn anything: where they take long here, on fewer examples at a time.
  constexpr double kSteps = 100;
  constexpr std::int64_t kFewest = 8;
  const auto whole = static_cast<double>(recipe.training.batch);
  const double rows = whole * seconds / step_seconds;  // that are seen in this time
  Short part{recipe.training.batch, recipe.data.count, rows / whole};
  if (part.steps < kSteps) {
    part.batch = std::clamp(static_cast<std::int64_t>(rows / kSteps),
                            std::min(kFewest, recipe.training.batch), recipe.training.batch);
    part.steps = rows / static_cast<double>(part.batch);
  }
  // No more data is made than will be seen: that can take longer than the training.
  const auto seen = static_cast<std::int64_t>(std::min(2 * rows, 1e9)) + 8 * part.batch;
  part.examples = std::min(part.examples, seen);
  return part;
}

// The changes of a recipe that shorten it. What was begun goes on with batches of the same size.
std::vector<std::string> shortening(const Plan& plan, const Context& context,
                                    const TrainingOrder& order, double seconds) {
  const spec::Recipe recipe = spec::read_recipe(order.recipe, order.overrides);
  Short part = shortened_to(seconds, recipe, context.trainer.seconds_per_step(recipe));
  if (order.resume)
    part.batch = spec::read_recipe((order.out / "config.toml").string(), {}).training.batch;
  std::vector<std::string> changes{"training.epochs=0", "training.steps=0",
                                   fmt::format("training.minutes={:g}", seconds / 60)};
  if (part.examples < recipe.data.count && !recipe.data.endless)
    changes.push_back(fmt::format("data.count={}", part.examples));
  if (part.batch != recipe.training.batch) {
    changes.push_back(fmt::format("training.batch={}", part.batch));
    changes.emplace_back("training.accumulate=1");
  }
  if (!plan.watches_accuracy) {
    changes.emplace_back("evaluation.count=0");
    return changes;
  }
  // Together for a quarter of the time; only at the end where there are hardly any steps.
  constexpr double kTimes = 10;
  changes.push_back(
      fmt::format("training.evaluate_every={}", static_cast<std::int64_t>(part.steps / kTimes)));
  changes.push_back(fmt::format("evaluation.minutes={:g}", seconds / 60 / kTimes / 4));
  return changes;
}

}  // namespace

std::vector<const Cell*> evaluations(const Plan& plan) {
  std::vector<const Cell*> found;
  std::set<std::string> seen;
  for (const PlanRow& row : plan.rows)
    for (const Cell& cell : row.cells)
      if (!cell.model.empty() && seen.insert(evaluation_key(cell)).second) found.push_back(&cell);
  return found;
}

std::vector<std::string> recipes_of(const Plan& plan) {
  std::vector<std::string> models = plan.models;
  for (const Cell* cell : evaluations(plan)) models.push_back(cell->model);
  std::set<std::string> seen;
  std::erase_if(models, [&](const std::string& model) {
    return !is_recipe(model) || !seen.insert(model).second;
  });
  return models;
}

double seconds_for_each(const Plan& plan, const Context& context) {
  const auto trainings = std::ranges::count_if(recipes_of(plan), [&](const std::string& recipe) {
    return missing_weights(context, recipe).empty() && !is_whole(context, recipe) &&
           !has_begun(context, recipe);
  });
  return kTrainingShare * context.budget /
         static_cast<double>(std::max<std::ptrdiff_t>(1, trainings));
}

std::vector<std::string> missing_trainings(const Plan& plan, const Context& context) {
  const double seconds = seconds_for_each(plan, context);
  std::vector<std::string> missing = recipes_of(plan);
  std::erase_if(missing, [&](const std::string& recipe) {
    return is_whole(context, recipe) ||
           (context.budget > 0 && is_long_enough(context, recipe, seconds));
  });
  return missing;
}

void train(const Plan& plan, const Context& context, const std::string& recipe) {
  const bool whole = context.budget == 0;
  TrainingOrder order{
      .recipe = recipe_file(recipe),
      .overrides = {},
      .out = whole ? run_folder(context, recipe) : short_run_folder(context, recipe),
      .threads = context.threads,
      .quiet = context.quiet};
  order.resume = is_there(order.out / "config.toml");
  if (context.device != "auto") order.overrides.push_back("training.device=" + context.device);
  if (const std::string weights = weights_of(recipe); !weights.empty())
    order.overrides.push_back("init=" + context.weights.at(weights));
  if (whole && plan.watches_accuracy) order.overrides.emplace_back("training.evaluate_every=5000");
  if (!whole)
    for (std::string& change : shortening(plan, context, order, seconds_for_each(plan, context)))
      order.overrides.push_back(std::move(change));
  context.trainer.train(order);
}

}  // namespace mgdm::reproduction
