#include "spec/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/cores.h"
#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "spec/kinds.h"
#include "spec/overrides.h"
#include "tasks/all_tasks.h"
#include "tasks/text/task.h"

namespace mgdm::spec {
namespace {

namespace fs = std::filesystem;

void read_into(Recipe& recipe, const fs::path& path, int depth) {
  if (depth > 8)
    throw UsageError(fmt::format("{} extends itself, by way of other files", path.string()));
  constexpr std::size_t kMostBytes = 1 << 20;
  const std::string text = path == "-" ? read_input("-") : read_file(path, kMostBytes);
  Recipe alone;
  config::Fields(alone).read_toml(text, path.string());
  for (const std::string& base : alone.extends)
    read_into(recipe, path.parent_path() / base, depth + 1);
  config::Fields(recipe).read_toml(text, path.string());
}

void check(const Recipe& recipe) {
  const ObjectiveKind& objective = objective_kind(recipe.objective.kind);
  const std::string_view kind = objective.name;
  check(recipe.model, objective);
  if (recipe.training.fewest_loops > recipe.model.loops)
    throw UsageError(fmt::format("training.fewest_loops = {} with model.loops = {}",
                                 recipe.training.fewest_loops, recipe.model.loops),
                     "at most model.loops");
  if ((recipe.training.rounds > 1 || recipe.training.late_share > 0) && !recipe.model.loop_norm)
    throw UsageError(fmt::format("training.rounds = {} and training.late_share = {} with "
                                 "model.loop_norm = false",
                                 recipe.training.rounds, recipe.training.late_share),
                     "model.loop_norm=true");
  const Family family = architecture_kind(recipe.model.architecture).family;
  if (family == Family::kLlama && objective.decoder != decoding::Decoder::kLeftToRight)
    throw UsageError(fmt::format("objective.kind = {} with a llama model", kind),
                     "objective.kind=ar: it reads from left to right");
  if (recipe.training.recompute && family == Family::kGpt2)
    throw UsageError(
        fmt::format("training.recompute with model.architecture = {}", recipe.model.architecture),
        "a llama or looped model");
  if (recipe.training.recompute && recipe.model.lora.dropout > 0)
    throw UsageError("training.recompute with model.lora.dropout",
                     "model.lora.dropout=0: what is computed twice cannot be drawn");
  const bool answers = recipe.training.best.starts_with("accuracy");
  if (recipe.training.patience > 0 &&
      (answers ? recipe.training.evaluate_every : recipe.data.held_out) == 0)
    throw UsageError(
        fmt::format("training.patience with training.best = {} and {} = 0", recipe.training.best,
                    answers ? "training.evaluate_every" : "data.held_out"),
        "a metric that is measured during training",
        answers ? "training.evaluate_every=1000" : "data.held_out=1000");
  const bool left_to_right = objective.decoder == decoding::Decoder::kLeftToRight;
  if (recipe.data.layout == (left_to_right ? "in_place" : "long"))
    throw UsageError(
        fmt::format("objective.kind = {} with data.layout = {}", kind, recipe.data.layout),
        left_to_right ? "data.layout=seq2seq or long: it answers after the puzzle"
                      : "data.layout=seq2seq or in_place: it sees an answer as a whole");
}

// The project's own that can be trained, as "recipes/paper/planning-tiny-mgdm.toml".
std::vector<std::string> known_recipes() {
  std::vector<fs::path> roots = own_folders("recipes");
  roots.emplace_back("recipes");
  std::vector<std::string> names;
  for (const fs::path& root : roots)
    for (const fs::path& place : files_in(root))
      for (const fs::path& file :
           place.extension() == ".toml" ? std::vector{place} : files_in(place))
        if (file.extension() == ".toml" && file.filename() != "common.toml")
          names.push_back((fs::path("recipes") / file.lexically_relative(root)).string());
  return names;
}

// Which of them was meant: by the whole name, else by that of the file alone.
std::string recipe_hint(const fs::path& asked) {
  const std::vector<std::string> names = known_recipes();
  if (std::string hint = did_you_mean(asked.string(), names); !hint.empty()) return hint;
  std::vector<std::string> stems;
  for (const std::string& name : names) stems.push_back(fs::path(name).stem());
  const std::string stem = nearest(asked.stem().string(), stems);
  const auto found = std::find(stems.begin(), stems.end(), stem);
  if (found == stems.end()) return "";
  return fmt::format("did you mean '{}'?", names[static_cast<std::size_t>(found - stems.begin())]);
}

}  // namespace

void EvaluationSettings::visit(config::Visitor& v) {
  v.field("files", files, "test data (default: the generated test split)");
  v.field("verifier", verifier, tasks::text::kVerifierHelp);
  v.field("count", count, "number of test puzzles (0 = all of the files)", config::range(0, 4e9));
  v.field("batch", batch, "number of puzzles decoded together", config::range(1, 1e6));
  v.field("minutes", minutes,
          "time limit in minutes, after which the puzzles done so far are scored (0 = none)",
          config::at_least(0));
}

void Recipe::visit(config::Visitor& v) {
  v.field("extends", extends, "recipes to start from, relative to this file");
  v.field("task", task, "the task to learn");
  v.field("seed", seed, "seed of data, weights, noise and order", config::at_least(0));
  v.field("init", init, "a checkpoint to start from (fine-tuning)");
  v.section("data", data);
  v.section("model", model);
  v.section("objective", objective);
  v.section("optimizer", optimizer);
  v.section("training", training);
  v.section("decoding", decoding);
  v.section("evaluation", evaluation);
}

fs::path find_recipe(const std::string& path) {
  constexpr std::string_view kFolder = "recipes/";
  if (!path.starts_with(kFolder) || is_there(path)) return path;
  for (const fs::path& folder : own_folders("recipes"))
    if (const fs::path file = folder / path.substr(kFolder.size()); is_there(file)) return file;
  return path;
}

Recipe read_recipe(const std::string& path, const std::vector<std::string>& overrides) {
  const fs::path file = find_recipe(path);
  if (path != "-" && !is_there(file))
    throw Error(fmt::format("there is no recipe {}", in_quotes(path)),
                "a TOML file, such as recipes/paper/planning-tiny-mgdm.toml", recipe_hint(path));
  Recipe recipe;
  read_into(recipe, file, 0);
  recipe.extends.clear();
  config::Fields fields(recipe);
  for (const std::string& override_text : overrides) fields.set(override_text);
  if (!recipe.extends.empty())
    throw UsageError("extends on the command line", "extends in a recipe's file only");
  if (recipe.task.empty())
    throw UsageError(fmt::format("{} names no task", path), "task = \"planning\" or another");
  check(recipe);
  return recipe;
}

std::vector<std::string> check_continues(const Recipe& before, const Recipe& now,
                                         const std::string& folder) {
  static const std::set<std::string> kFixed{"task",          "data.layout",        "data.length",
                                            "data.alphabet", "data.reverse",       "objective.kind",
                                            "training.ema",  "optimizer.optimizer"};
  // Settings of the model on which no weight depends.
  static const std::set<std::string> kFree{"model.dropout", "model.lora.dropout"};
  Recipe old = before, fresh = now;
  std::vector<std::string> changes;
  for (const auto& [key, was, is] : config::Fields(old).differences(config::Fields(fresh))) {
    if (kFixed.contains(key) || (key.starts_with("model.") && !kFree.contains(key)))
      throw Error(fmt::format("the run in {} has {} = {}, not {}", folder, key, was, is),
                  "the recipe that it was started with",
                  fmt::format("{}={}, or a new run in another --out", key, was));
    changes.push_back(fmt::format("{} = {}, was {}", key, is, was));
  }
  return changes;
}

void RunRequest::visit(config::Visitor& v) {
  v.field("recipe", recipe, "the recipe to train, a TOML file such as those in recipes/");
  v.field("overrides", overrides, "changes to the recipe, as key=value");
  v.field("out", out, "folder of the run (default: runs/ and the recipe's name)");
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
  v.field(
      "seeds", seeds,
      "train this many runs, one after the other, with the recipe's seed and those after it, in "
      "folders seed-N of --out; print mean ± sd",
      config::range(1, 1000));
  v.field("resume", resume, "continue the run in that folder");
  v.field("quiet", quiet, "show no progress");
}

bool is_restarted() {
  const auto restarts = [](const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : parse_int(text).value_or(0);
  };
  return restarts("TORCHELASTIC_RESTART_COUNT") > 0 || restarts("SLURM_RESTART_COUNT") > 0;
}

std::string folder_of(const RunRequest& request) {
  if (!request.out.empty()) return request.out;
  const fs::path file = request.recipe;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool of_a_run = file.filename() == "config.toml" && is_there(folder / "env.json");
  return of_a_run ? folder : fs::path("runs") / file.stem();
}

Recipe checked_recipe(const RunRequest& request) {
  Recipe recipe = read_recipe(request.recipe, request.overrides);
  check_effects(recipe, request.overrides);
  const std::string out = folder_of(request);
  if (const auto own = fs::path(out) / "config.toml"; request.resume && is_there(own)) {
    const Recipe before = read_recipe(own.string(), {});
    if (recipe.data.alphabet.empty() && tasks::make_task(recipe.task)->abilities().any_text)
      recipe.data.alphabet = before.data.alphabet;  // the run found it in its files
    check_named(before, recipe, request.overrides, out);
  }
  return recipe;
}

}  // namespace mgdm::spec
