#include "reproduction/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/paths.h"

namespace mgdm::reproduction {

std::string recipe_file(const std::string& name) {
  const char* const shelf = std::getenv("MGDM_RECIPES");
  for (const std::filesystem::path& folder :
       {std::filesystem::path(shelf == nullptr ? "recipes" : shelf),
        std::filesystem::path("recipes")})
    if (const auto file = folder / (name + ".toml"); is_there(file)) return file.string();
  throw Error(fmt::format("there is no recipe recipes/{}.toml here", name),
              "a checkout of the project as the current folder, or MGDM_RECIPES=FOLDER");
}

std::string recipe_words(const std::string& name) { return "recipes/" + name + ".toml"; }

std::int64_t planned_steps(const spec::Recipe& recipe) {
  if (recipe.training.epochs <= 0) return recipe.training.steps;
  return std::max<std::int64_t>(
      1, std::llround(recipe.training.epochs * static_cast<double>(recipe.data.count) /
                      static_cast<double>(recipe.training.batch)));
}

}  // namespace mgdm::reproduction
