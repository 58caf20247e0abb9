#include "cli/recipe.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"

namespace mgdm::cli {
namespace {

void read_into(Recipe& recipe, const std::filesystem::path& path, int depth) {
  if (depth > 8)
    throw UsageError(fmt::format("{} extends a file that extends it in the end", path.string()));
  const std::string text = read_file(path);
  Recipe alone;
  config::Fields(alone).read_toml(text, path.string());
  for (const std::string& base : alone.extends)
    read_into(recipe, path.parent_path() / base, depth + 1);
  config::Fields(recipe).read_toml(text, path.string());
}

}  // namespace

void EvaluationSettings::visit(config::Visitor& v) {
  v.field("files", files, "test data; without files the test split is generated");
  v.field("count", count, "how many test puzzles (0 = all of the files)", config::range(0, 4e9));
  v.field("batch", batch, "puzzles decoded at a time", config::range(1, 1e6));
}

void Recipe::visit(config::Visitor& v) {
  v.field("extends", extends, "recipes to start from, relative to this file");
  v.field("task", task, "what to learn");
  v.field("seed", seed, "of data, weights, noise and order", config::at_least(0));
  v.field("init", init, "a checkpoint to start from (fine-tuning)");
  v.section("data", data);
  v.section("model", model);
  v.section("objective", objective);
  v.section("optimizer", optimizer);
  v.section("training", training);
  v.section("decoding", decoding);
  v.section("evaluation", evaluation);
}

Recipe read_recipe(const std::string& path, const std::vector<std::string>& overrides) {
  Recipe recipe;
  read_into(recipe, path, 0);
  recipe.extends.clear();
  config::Fields fields(recipe);
  for (const std::string& override_text : overrides) fields.set(override_text);
  if (recipe.task.empty())
    throw UsageError(fmt::format("{} names no task", path), "task = \"planning\" or another");
  return recipe;
}

}  // namespace mgdm::cli
