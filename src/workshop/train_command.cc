#include <filesystem>

#include "base/paths.h"
#include "base/standard_streams.h"
#include "cli/heavy_commands.h"
#include "cli/threads.h"
#include "spec/recipe.h"
#include "workshop/training_run.h"
#include "workshop/workshop.h"

namespace mgdm::workshop {
namespace {

struct TrainCommandSettings {
  std::string recipe;
  std::vector<std::string> overrides;
  std::string out;
  std::int64_t threads = 0;
  bool resume = false;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("recipe", recipe, "a TOML file, see recipes/");
    v.field("overrides", overrides, "key=value ...: changes to the recipe");
    v.field("out", out,
            "the run's folder (empty = runs/ and the recipe's name; to resume by a run's own "
            "config.toml, its folder)");
    cli::visit_threads(v, threads);
    v.field("resume", resume, "continue the run in that folder");
    v.field("quiet", quiet, "no status line");
  }
};

namespace fs = std::filesystem;

// What --out says; else the folder of a run whose own config.toml goes on, or runs/ and a name.
fs::path folder_of(const TrainCommandSettings& settings) {
  if (!settings.out.empty()) return settings.out;
  const fs::path file = settings.recipe;
  const bool of_a_run =
      file.filename() == "config.toml" && is_there(file.parent_path() / "env.json");
  return settings.resume && of_a_run ? file.parent_path() : fs::path("runs") / file.stem();
}

void run_train(const TrainCommandSettings& settings) {
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

}  // namespace

cli::Command train_command() {
  cli::Command command = cli::make_command<TrainCommandSettings>(
      "train", cli::about_heavy("train"),
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml\n"
      "  mgdm train recipes/paper/countdown-4-base-mgdm.toml objective.beta=1 --out runs/beta1\n"
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml --resume\n"
      "  mgdm train runs/beta1/config.toml --resume\n",
      {"recipe", "overrides"}, {"recipe"}, run_train);
  spec::Recipe recipe;
  command.more = "What a recipe can say, with the defaults:\n" + config::Fields(recipe).help();
  return command;
}

}  // namespace mgdm::workshop
