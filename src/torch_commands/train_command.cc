#include <filesystem>

#include "base/paths.h"
#include "base/standard_streams.h"
#include "cli/heavy_commands.h"
#include "spec/recipe.h"
#include "torch_commands/torch_commands.h"
#include "torch_commands/training_run.h"

namespace mgdm::torch_commands {
namespace {

namespace fs = std::filesystem;

// What --out says; else the folder of the run whose own config.toml it is (without --resume that is
// refused, and the error says what there is to choose from), or runs/ and a name.
fs::path folder_of(const cli::TrainSettings& settings) {
  if (!settings.out.empty()) return settings.out;
  const fs::path file = settings.recipe;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool of_a_run = file.filename() == "config.toml" && is_there(folder / "env.json");
  return of_a_run ? folder : fs::path("runs") / file.stem();
}

}  // namespace

void train(const cli::TrainSettings& settings) {
  outlive_readers();
  const fs::path out = folder_of(settings);
  const spec::Recipe recipe =
      read_recipe_of_run(settings.recipe, settings.overrides, out, settings.resume);
  train_by_recipe(recipe, {.recipe_name = settings.recipe,
                           .out = out,
                           .threads = static_cast<int>(settings.threads),
                           .resume = settings.resume,
                           .quiet = settings.quiet});
}

}  // namespace mgdm::torch_commands
