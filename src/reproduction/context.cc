#include "reproduction/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/paths.h"
#include "spec/recipe.h"

namespace mgdm::reproduction {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Stopwatch::Stopwatch(const Context& context)
    : clock_(context.clock ? context.clock : steady_seconds), began_(clock_()) {}

double TimeLeft::seconds() const {
  if (budget_ <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, budget_ - spent_.seconds());
}

std::string recipe_file(const std::string& name) {
  if (const auto file = spec::find_recipe(recipe_words(name)); is_there(file)) return file.string();
  throw Error(fmt::format("there is no recipe recipes/{}.toml here", name),
              "MGDM_RECIPES=FOLDER, the folder recipes/ of the project");
}

std::string recipe_words(const std::string& name) { return "recipes/" + name + ".toml"; }

std::int64_t planned_steps(const spec::Recipe& recipe) {
  if (recipe.training.epochs <= 0) return recipe.training.steps;
  return std::max<std::int64_t>(
      1, std::llround(recipe.training.epochs * static_cast<double>(recipe.data.count) /
                      static_cast<double>(recipe.training.batch)));
}

}  // namespace mgdm::reproduction
