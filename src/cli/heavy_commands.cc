#include "cli/heavy_commands.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/compute_flags.h"
#include "spec/recipe.h"

namespace mgdm::cli {
namespace {

struct Bench {
  const char *name, *about;
  std::function<void(const BenchSettings&)> HeavyWork::*work;
};

constexpr Bench kBenches[] = {
    {"signature",
     "a hash over all that is drawn: equal on all machines, devices and LibTorch versions",
     &HeavyWork::bench_signature},
    {"train", "how fast a recipe trains: a step's time, tokens, operations, memory, kernels",
     &HeavyWork::bench_train},
    {"decode", "how fast a model answers: time, puzzles, operations, memory, kernels",
     &HeavyWork::bench_decode},
};

std::string list_of_benches() {
  std::string list;
  for (const Bench& bench : kBenches) list += fmt::format("  {:<12} {}\n", bench.name, bench.about);
  return list;
}

const Bench& bench_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Bench& bench : kBenches) {
    if (name == bench.name) return bench;
    names.emplace_back(bench.name);
  }
  throw UsageError(fmt::format("there is no bench {}", in_quotes(name)), joined_or(names),
                   did_you_mean(name, names));
}

// The work, or where there is none, the complaint, after what check() complains of.
template <class Settings>
std::function<void(const Settings&)> work_of(
    const char* name, std::function<void(const Settings&)> work,
    std::function<void(const Settings&)> check = [](const Settings&) {}) {
  if (work) return work;
  return [name, check](const Settings& settings) {
    check(settings);
    throw needs_libtorch(name);
  };
}

Command train_command(const std::function<void(const TrainSettings&)>& work) {
  Command command = make_command<TrainSettings>(
      "train", "Train a model by a recipe",
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml\n"
      "  mgdm train recipes/paper/countdown-4-base-mgdm.toml objective.beta=1 --out runs/beta1\n"
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml --resume\n"
      "  mgdm train runs/beta1/config.toml --resume\n",
      {"recipe", "overrides"}, {"recipe"},
      work_of<TrainSettings>("train", work, [](const TrainSettings& settings) {
        spec::read_recipe(settings.recipe, settings.overrides);
      }));
  spec::Recipe recipe;
  command.more = "What a recipe can say, with the defaults:\n" + config::Fields(recipe).help();
  return command;
}

Command launch_command(const std::function<void(const LaunchSettings&)>& work) {
  return make_command<LaunchSettings>(
      "launch", "Run a command in several processes that work together",
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two\n"
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two --resume\n"
      "Several machines: torchrun --no-python ... mgdm train ..., or set RANK, WORLD_SIZE,\n"
      "LOCAL_RANK, MASTER_ADDR and MASTER_PORT as it does.\n",
      {"command"}, {"n", "command"}, work_of("launch", work));
}

Command bench_command(const HeavyWork& work) {
  Command command = make_command<BenchSettings>(
      "bench", "Compare machines and builds; lists what there is",
      "  mgdm bench\n"
      "  mgdm bench signature\n"
      "  mgdm bench signature --device cuda --json signature.json\n"
      "  mgdm bench train recipes/quick/planning-mgdm.toml\n"
      "  mgdm bench train recipes/frontier/countdown-4.toml training.batch=1024 --device cuda "
      "--profile\n"
      "  mgdm bench decode quick-planning-mgdm --batch 64\n",
      {"name", "subject", "overrides"}, {}, [work](const BenchSettings& settings) {
        if (settings.name.empty())
          fmt::print("{}\nmgdm bench NAME runs one of them.\n", list_of_benches());
        else
          work_of("bench", work.*bench_named(settings.name).work)(settings);
      });
  command.more = "What there is:\n" + list_of_benches();
  return command;
}

}  // namespace

void TrainSettings::visit(config::Visitor& v) {
  v.field("recipe", recipe, "a TOML file, see recipes/");
  v.field("overrides", overrides, "key=value ...: changes to the recipe");
  v.field("out", out,
          "the run's folder (empty = runs/ and the recipe's name; of a run's own config.toml, its "
          "folder)");
  visit_threads(v, threads);
  v.field("resume", resume, "continue the run in that folder");
  v.field("quiet", quiet, "no status line");
}

void LaunchSettings::visit(config::Visitor& v) {
  v.field("n", n, "how many processes; on GPUs one for each", config::range(1, 1024));
  v.field("command", command, "-- and then what each of them does: train ...");
  v.field("quiet", quiet, "print nothing but errors");
}

void BenchSettings::visit(config::Visitor& v) {
  v.field("name", name, "which one; without a name they are listed");
  v.field("subject", subject, "train: the recipe to time, see recipes/; decode: one, or a model");
  v.field("overrides", overrides, "key=value ...: changes to the recipe");
  v.field("device", device,
          "auto, cpu, cuda or cuda:N (empty = cpu; train: as the recipe says; decode: auto)");
  visit_threads(v, threads);
  v.field("batch", batch, "rows at a time (0 = 16; decode: 1; train: as the recipe says)",
          config::range(0, 1e6));
  v.field("turns", turns, "train, decode: how often the time is taken", config::range(1, 1000));
  v.field("steps", steps,
          "train: steps in a turn (0 = 20); decode: passes for an answer (0 = as the model says)",
          config::range(0, 1e6));
  v.field("profile", profile,
          "CUDA: the kernels of one step or answer: time, bytes, operations, and shares of what "
          "the device does at best");
  v.field("json", json, "write the result to this file; - prints it alone");
  v.field("md", md, "train, decode: the same as Markdown tables");
  v.field("csv", csv, "train, decode: the same as CSV; with --profile the kernels, a line each");
  v.field("quiet", quiet, "print nothing but errors");
}

std::vector<Command> heavy_commands(const HeavyWork& work) {
  return {train_command(work.train), launch_command(work.launch), bench_command(work)};
}

NeedsLibTorch needs_libtorch(const std::string& what) {
  return NeedsLibTorch(fmt::format("{} needs LibTorch, which this mgdm was built without", what),
                       "the full program",
                       "in the source folder, ./mgdm builds and runs the program that has it; or "
                       "cmake --preset release");
}

}  // namespace mgdm::cli
