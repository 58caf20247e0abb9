#include "reproduction/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/paths.h"
#include "model_files/checkpoints.h"
#include "reproduction/measure.h"
#include "reproduction/puzzles.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {
namespace {

std::vector<std::string> device_override(const Context& context) {
  if (context.device == "auto") return {};
  return {"training.device=" + context.device};
}

bool is_whole(const Context& context, const std::string& recipe) {
  const auto trained = find_trained(context, recipe);
  return trained && trained->note.empty();
}

// Whether there is something of the whole training: it is used then, and no shortened one beside
// it.
bool has_begun(const Context& context, const std::string& recipe) {
  return model_files::newest_checkpoint(run_folder(context, recipe)).has_value();
}

// With a budget, of which each training has that share: whether it has had it.
bool is_long_enough(const Context& context, const std::string& recipe, double share) {
  constexpr double kAlmost = 0.99;
  return has_begun(context, recipe) ||
         (kept_shortening(short_run_folder(context, recipe)).share >= kAlmost * share &&
          short_has_ended(context, recipe));
}

// The fewest examples of a step.
std::int64_t fewest(const spec::Recipe& recipe) {
  constexpr std::int64_t kFewest = 8;
  return std::min(kFewest, recipe.training.batch);
}

// A recipe shortened to some seconds, of which a whole step takes `step_seconds`.
struct Short {
  std::int64_t batch = 0, examples = 0;
  double steps = 0;
};

Short shortened_to(double seconds, const spec::Recipe& recipe, double step_seconds) {
  // Enough steps to learn anything: where they take long here, on fewer examples at a time.
  constexpr double kSteps = 100;
  const auto whole = static_cast<double>(recipe.training.batch);
  const double rows = whole * seconds / step_seconds;  // that are seen in this time
  Short part{recipe.training.batch, recipe.data.count, rows / whole};
  if (part.steps < kSteps) {
    part.batch =
        std::clamp(static_cast<std::int64_t>(rows / kSteps), fewest(recipe), recipe.training.batch);
    part.steps = rows / static_cast<double>(part.batch);
  }
  // No more data is made than will be seen: that can take longer than the training.
  const auto seen = static_cast<std::int64_t>(std::min(2 * rows, 1e9)) + 8 * part.batch;
  part.examples = std::min(part.examples, seen);
  return part;
}

// When a run measures its accuracy on the way: together for a quarter of the time, ten times at
// most, and only at the end where there are hardly any steps.
std::vector<std::string> watching(double seconds, const Short& part) {
  constexpr double kMost = 10, kPart = 0.25;
  // The fewest puzzles take as long as training on so many rows: 4 of them, 20 passes.
  constexpr double kRows = 27;
  const double rows = part.steps * static_cast<double>(part.batch);
  const double times = std::min(kMost, std::floor(kPart * rows / kRows));
  const double every = times > 0 ? std::ceil(part.steps / times) : 0;
  return {fmt::format("training.evaluate_every={:.0f}", every),
          fmt::format("evaluation.minutes={:g}", kPart * seconds / 60 / kMost)};
}

// The changes of a recipe that shorten it to some seconds, after the seconds that it was trained
// before. What was begun goes on with batches of the same size.
std::vector<std::string> shortening(const Plan& plan, const spec::Recipe& recipe,
                                    const spec::RunRequest& request, double step_seconds,
                                    double seconds, double before) {
  Short part = shortened_to(before + seconds, recipe, step_seconds);
  if (request.resume)
    part.batch =
        spec::read_recipe((std::filesystem::path(request.out) / "config.toml").string(), {})
            .training.batch;
  std::vector<std::string> changes{
      "training.epochs=0", "training.steps=0",
      fmt::format("training.minutes={:g}", (before + seconds) / 60),
      "data.held_out=0"};  // a large network looks at them for longer than it is trained
  if (part.examples < recipe.data.count && !recipe.data.endless)
    changes.push_back(fmt::format("data.count={}", part.examples));
  if (part.batch != recipe.training.batch) {
    changes.push_back(fmt::format("training.batch={}", part.batch));
    changes.emplace_back("training.accumulate=1");
  }
  if (!plan.watches_accuracy)
    changes.emplace_back("evaluation.count=0");
  else
    for (std::string& change : watching(seconds, part)) changes.push_back(std::move(change));
  return changes;
}

// In minutes, of which each training of the plan has so many seconds.
double budget_for(const Plan& plan, const Context& context, double seconds) {
  return std::ceil(context.budget * seconds / seconds_for_each(plan, context) / 60);
}

// Shortens the order to what is left of its share of the budget, or says why nothing can be
// trained.
std::string shorten(const Plan& plan, const Context& context, const std::string& recipe_name,
                    double seconds, spec::RunRequest& request) {
  // The rest is for making data, saving and looking at what was trained.
  const double steps_share = plan.watches_accuracy ? 0.6 : 0.8;
  const spec::Recipe recipe = spec::read_recipe(request.recipe, request.overrides);
  const Stopwatch watch(context);
  const double step_seconds = context.workers->seconds_per_step(recipe);
  const double left = steps_share * (seconds - watch.seconds());
  const double smallest = step_seconds * static_cast<double>(fewest(recipe)) /
                          static_cast<double>(recipe.training.batch);
  if (left < smallest)
    return fmt::format(
        "not trained: the smallest step takes about {:.1f} s here, the budget leaves {:.1f} s for "
        "it; a hundred of them want --budget {:.0f}m",
        smallest, std::max(0.0, left), budget_for(plan, context, 100 * smallest / steps_share));
  const double before = request.resume ? short_seconds(context, recipe_name) : 0;
  const Shortening kept{seconds_for_each(plan, context),
                        shortening(plan, recipe, request, step_seconds, left, before)};
  request.overrides.insert(request.overrides.end(), kept.changes.begin(), kept.changes.end());
  request.on_begin = [out = request.out, kept] { keep_shortening(out, kept); };
  return "";
}

// The recipes that something can be measured of: nothing, where all its puzzles are in files that
// are not at hand.
std::vector<std::string> measurable(const Plan& plan, const Context& context) {
  std::set<std::string> found(plan.models.begin(), plan.models.end());
  for (const Cell* cell : evaluations(plan))
    if (missing_file(cell->test, context).empty()) found.insert(cell->model);
  std::vector<std::string> recipes = recipes_of(plan);
  std::erase_if(recipes, [&](const std::string& recipe) { return !found.contains(recipe); });
  return recipes;
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
  const auto trainings =
      std::ranges::count_if(measurable(plan, context), [&](const std::string& recipe) {
        return missing_weights(context, recipe).empty() && !is_whole(context, recipe) &&
               !has_begun(context, recipe);
      });
  return kTrainingShare * context.budget /
         static_cast<double>(std::max<std::ptrdiff_t>(1, trainings));
}

std::vector<std::string> missing_trainings(const Plan& plan, const Context& context) {
  const double seconds = seconds_for_each(plan, context);
  std::vector<std::string> missing = measurable(plan, context);
  std::erase_if(missing, [&](const std::string& recipe) {
    return is_whole(context, recipe) ||
           (context.budget > 0 && is_long_enough(context, recipe, seconds));
  });
  return missing;
}

double training_seconds(const Context& context, const std::string& recipe) {
  const spec::Recipe settings = spec::read_recipe(recipe_file(recipe), device_override(context));
  const std::filesystem::path run = run_folder(context, recipe);
  const auto newest = model_files::newest_checkpoint(run);
  const std::int64_t done = newest ? model_files::checkpoint_step(*newest).value_or(0) : 0;
  return context.workers->seconds_per_step(settings) *
         static_cast<double>(std::max<std::int64_t>(0, steps_in_all(run, settings) - done));
}

std::string train(const Plan& plan, const Context& context, const std::string& recipe,
                  double seconds) {
  const bool whole = context.budget == 0;
  if (!whole && seconds <= 0) return "not trained: the budget was spent before";
  spec::RunRequest request{
      .recipe = recipe_file(recipe),
      .overrides = device_override(context),
      .out = whole ? run_folder(context, recipe) : short_run_folder(context, recipe),
      .threads = context.threads,
      .quiet = context.quiet};
  request.resume = is_there(std::filesystem::path(request.out) / "config.toml");
  if (const std::string weights = weights_of(recipe); !weights.empty())
    request.overrides.push_back("init=" + context.weights.at(weights));
  if (whole && plan.watches_accuracy)
    request.overrides.emplace_back("training.evaluate_every=5000");
  if (!whole)
    if (std::string why = shorten(plan, context, recipe, seconds, request); !why.empty())
      return why;
  context.workers->train(spec::read_recipe(request.recipe, request.overrides), request);
  return "";
}

}  // namespace mgdm::reproduction
