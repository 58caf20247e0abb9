#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/full_program.h"
#include "cli/torch_work.h"
#include "formats/markdown_table.h"
#include "reproduction/reproduce.h"
#include "reproduction/trained.h"
#include "reproduction/trainings.h"

namespace mgdm::cli {
namespace {

struct ReproduceSettings {
  std::string name, out = "results", runs = "runs", files, device = "auto", budget;
  std::vector<std::string> weights;
  std::int64_t limit = 0, threads = 0;
  bool list = false, plan = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("name", name, "a table or figure, or all");
    v.field("list", list, "list the tables and figures");
    v.field("plan", plan, "do nothing; show what is to be done and how long training takes here");
    v.field(
        "budget", budget,
        "time for all training and evaluation: 90s, 20m, 2h; the table says that it was shortened");
    v.field("limit", limit, "largest number of puzzles per cell (0 = all)", config::at_least(0));
    v.field("files", files, "folder with the paper's test files that cannot be regenerated");
    v.field("weights", weights,
            "llama-7b=DIR, llama-13b=DIR: folders of weights that mgdm may not distribute");
    v.field("runs", runs, "folder of trained models, old and new");
    v.field("out", out, "folder of results");
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    visit_threads(v, threads);
    v.field("quiet", quiet, "show neither progress nor tables");
  }
};

std::string needs_of(const reproduction::Plan& plan) {
  std::vector<std::string> needs;
  if (!reproduction::recipes_of(plan).empty()) needs.emplace_back("trained models");
  // Where all of it is measured on one.
  const auto cells = reproduction::evaluations(plan);
  if (!cells.empty() && std::ranges::all_of(cells, [&](const reproduction::Cell* cell) {
        return !cell->test.file.empty() && cell->test.file == cells.front()->test.file;
      }))
    needs.push_back(cells.front()->test.file);
  return needs.empty() ? "nothing" : joined_by(needs, ", ");
}

void print_list() {
  formats::MarkdownTable table({{"name"}, {"what it shows"}, {"in the paper"}, {"needs"}});
  for (const reproduction::Plan& plan : reproduction::plans())
    table.add_row({plan.frame.name, plan.frame.title, plan.frame.where, needs_of(plan)});
  fmt::print("{}", table.text(page_width()));
}

void reproduce_one(const reproduction::Plan& plan, const ReproduceSettings& settings,
                   const reproduction::Context& context) {
  if (settings.plan) {
    fmt::print("{}: {}\n\n{}\n", plan.frame.name, plan.frame.title,
               printable(reproduction::forecast(plan, context), "\n"));
    return;
  }
  const reproduction::Table table = reproduction::reproduce(plan, context);
  const auto files = reproduction::write_table(table, context);
  if (settings.quiet) return;
  say_to(stdout, "{}\n", printable(reproduction::to_markdown(table), "\n"));
  say("written: {}\n", printable(joined_by(files, ", ")));
}

// The plans by that name.
std::vector<reproduction::Plan> plans_named(const std::string& name) {
  if (name == "all") return reproduction::plans();
  return {reproduction::find_plan(name)};
}

void run_reproduce(const ReproduceSettings& settings, TorchWork* work) {
  if (settings.list || settings.name == "list") return print_list();
  if (settings.name.empty())
    throw UsageError("which table or figure?", "mgdm reproduce NAME", "mgdm reproduce --list");
  if (!settings.files.empty() && !std::filesystem::is_directory(settings.files))
    throw UsageError(fmt::format("--files: {} is no folder", shown_path(settings.files)));
  if (!settings.plan) outlive_readers();
  reproduction::Context context;
  context.out = settings.out;
  context.runs = settings.runs;
  context.files = settings.files;
  context.weights = reproduction::parse_weights(settings.weights);
  context.device = settings.device;
  context.threads = static_cast<int>(settings.threads);
  context.limit = settings.limit;
  context.budget = settings.budget.empty() ? 0 : parse_duration(settings.budget);
  context.quiet = settings.quiet;
  context.workers = work;
  const std::vector<reproduction::Plan> plans = plans_named(settings.name);
  // Without the full program a table shows what is trained.
  const bool trains = std::ranges::any_of(plans, [](const reproduction::Plan& plan) {
    return !reproduction::recipes_of(plan).empty();
  });
  if (trains && has_full_program()) needed(work, "training");
  context.budget /= static_cast<double>(plans.size());
  for (const reproduction::Plan& plan : plans) reproduce_one(plan, settings, context);
}

}  // namespace

Command reproduce_command(TorchWork* work) {
  return make_command<ReproduceSettings>(
      "reproduce", "Make a table or figure of the paper again, its numbers beside ours",
      "  mgdm reproduce --list\n"
      "  mgdm reproduce shipped --limit 100\n"
      "  mgdm reproduce shipped-passes --budget 10m\n"
      "  mgdm reproduce countdown --plan\n"
      "  mgdm reproduce planning --budget 20m\n"
      "  mgdm reproduce game24 --files FOLDER_WITH_cd4_tot24.jsonl\n"
      "  mgdm reproduce planning-sizes --weights llama-7b=FOLDER\n",
      {"name"}, {}, [work](const ReproduceSettings& settings) { run_reproduce(settings, work); });
}

}  // namespace mgdm::cli
