// The commands train, launch and bench. What they do is in the room torch_commands.
#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/named_files.h"
#include "cli/torch_work.h"
#include "spec/recipe.h"

namespace mgdm::cli {
namespace {

struct Bench {
  const char *name, *about;
  void (TorchWork::*run)(const BenchSettings&);
};

constexpr Bench kBenches[] = {
    {"signature", "hash of everything that is drawn; equal on all machines, devices and builds",
     &TorchWork::bench_signature},
    {"train", "training speed of a recipe: step time, tokens, operations, memory, kernels",
     &TorchWork::bench_train},
    {"decode", "answering speed of a model: time, puzzles, operations, memory, kernels",
     &TorchWork::bench_decode},
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
  throw UsageError(fmt::format("unknown bench {}", in_quotes(name)), joined_or(names),
                   did_you_mean(name, names));
}

}  // namespace

// A recipe is read before LibTorch is asked for: the full program may take minutes to build.
Command train_command(TorchWork* work) {
  Command command = make_command<spec::RunRequest>(
      "train", "Train a model by a recipe",
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml\n"
      "  mgdm train recipes/paper/countdown-4-base-mgdm.toml objective.beta=1 --out runs/beta1\n"
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml --resume\n"
      "  mgdm train runs/beta1/config.toml --resume\n",
      {"recipe", "overrides"}, {"recipe"}, [work](const spec::RunRequest& asked) {
        outlive_readers();
        spec::RunRequest request = asked;
        request.out = spec::folder_of(asked);
        if (spec::is_restarted() && is_there(std::filesystem::path(request.out) / "config.toml"))
          request.resume = true;
        const spec::Recipe recipe = spec::checked_recipe(request);
        needed(work, "train").train(recipe, request);
      });
  spec::Recipe recipe;
  command.more = "Settings of a recipe, with their defaults:\n" + config::Fields(recipe).help();
  return command;
}

Command launch_command(TorchWork* work) {
  return make_command<LaunchSettings>(
      "launch", "Run a command in several processes that train one model",
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two\n"
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two --resume\n"
      "  mgdm launch -n 2 --restarts 3 -- train recipes/paper/planning-tiny-mgdm.toml\n"
      "Several machines: srun mgdm train ... under Slurm (examples/slurm.sbatch), torchrun\n"
      "--no-python ... mgdm train ..., or set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and\n"
      "MASTER_PORT as torchrun does. Use a private network: the processes trust whoever "
      "connects.\n",
      {"command"}, {"n", "command"},
      [work](const LaunchSettings& settings) { needed(work, "launch").launch(settings); });
}

Command bench_command(TorchWork* work) {
  Command command = make_command<BenchSettings>(
      "bench", "Measure speed, compare machines and builds",
      "  mgdm bench\n"
      "  mgdm bench signature\n"
      "  mgdm bench signature --device cuda --json signature.json\n"
      "  mgdm bench train recipes/quick/planning-mgdm.toml\n"
      "  mgdm bench train recipes/frontier/countdown-4.toml training.batch=1024 --device cuda "
      "--profile\n"
      "  mgdm bench decode quick-planning-mgdm --batch 64\n",
      {"name", "subject", "overrides"}, {}, [work](const BenchSettings& settings) {
        if (settings.name.empty()) {
          fmt::print("{}\nmgdm bench NAME runs one of them.\n", list_of_benches());
          return;
        }
        const Bench& bench = bench_named(settings.name);
        TorchWork& worker = needed(work, "bench");
        check_files({{"--json", settings.json}, {"--md", settings.md}, {"--csv", settings.csv}});
        (worker.*bench.run)(settings);
      });
  command.more = "Benches:\n" + list_of_benches();
  return command;
}

void LaunchSettings::visit(config::Visitor& v) {
  v.field("n", n, "number of processes, usually one per GPU", config::range(1, 1024));
  v.field("command", command, "the command that each process runs, after --: train ...");
  v.field("restarts", restarts,
          "start all processes again when one fails, up to this many times; the run is resumed",
          config::range(0, 1e6));
  v.field("quiet", quiet, "print nothing but errors");
}

void BenchSettings::visit(config::Visitor& v) {
  v.field("name", name, "the benchmark to run (default: list them)");
  v.field("subject", subject, "train: a recipe; decode: a recipe or a model");
  v.field("overrides", overrides, "changes to the recipe, as key=value");
  v.field("device", device,
          "auto, cpu, cuda or cuda:N (default: cpu; train: the recipe's; decode: auto)");
  visit_threads(v, threads);
  v.field("batch", batch, "rows per batch (0: 16; decode: 1; train: the recipe's)",
          config::range(0, 1e6));
  v.field("turns", turns, "train, decode: number of timings, of which the median is reported",
          config::range(1, 1000));
  v.field("steps", steps, "train: steps a turn (0: 20); decode: passes (0: the model's)",
          config::range(0, 1e6));
  v.field("profile", profile, "CUDA: list the kernels of one step or answer, with bytes and time");
  v.field("json", json, "write the result to this file; - prints it alone");
  v.field("md", md, "train, decode: write the result as Markdown tables");
  v.field("csv", csv, "train, decode: write the result, or with --profile the kernels, as CSV");
  v.field("quiet", quiet, "print nothing but errors");
}

TorchWork& needed(TorchWork* work, const std::string& what) {
  if (work != nullptr) return *work;
  throw NeedsLibTorch(what + " needs LibTorch", "the program mgdm-train beside this one",
                      "build it in the source folder: cmake --preset release, "
                      "cmake --build build/release");
}

}  // namespace mgdm::cli
