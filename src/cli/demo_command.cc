#include <fmt/format.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/painter.h"
#include "cli/pick_model.h"
#include "evaluation/evaluate.h"
#include "formats/markdown_table.h"
#include "inference/solve.h"
#include "spec/tensors.h"

namespace mgdm::cli {
namespace {

struct DemoSettings {
  std::int64_t count = 50, seed = 5, threads = 0;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("count", count, "number of puzzles in the comparison", config::range(1, 1e6));
    v.field("seed", seed, "seed of the puzzles", config::at_least(0));
    visit_threads(v, threads);
    v.field("quiet", quiet, "show only the answers and the comparison, not each pass");
  }
};

inference::LoadedModel load(const DemoModel& model, const DemoSettings& settings) {
  return inference::LoadedModel::load(model.folder, {.threads = settings.threads});
}

std::string parameters_of(const DemoModel& model) {
  return format_count(static_cast<double>(spec::parameter_count(model.config.settings)));
}

// Slower than models decode by themselves, some in one pass: so that there is something to watch.
decoding::DecodingSettings in_ten_passes(decoding::DecodingSettings decoding) {
  decoding.order = "topk";
  decoding.steps = 10;
  return decoding;
}

// One fresh puzzle, from all [MASK] to the answer.
void watch(const DemoModel& model, const DemoSettings& settings) {
  const inference::LoadedModel loaded = load(model, settings);
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  const auto [about, puzzles] = fresh_puzzles(loaded, seed, 1);
  const std::string& puzzle = puzzles.front().input;
  fmt::print("{}: {} ({}, {} parameters)\n{}\n\n", model.config.about.card->task, about,
             printable(model.name), parameters_of(model),
             printable(loaded.task().drawn(puzzle), "\n"));
  Painter painter(loaded.task(), "  ");
  inference::OnStep on_step;
  if (!settings.quiet)
    on_step = [&](const inference::StepText& step) { return painter.paint(step); };
  const inference::Solved solved =
      inference::solve(loaded, puzzle, 0, in_ten_passes(loaded.card().decoding), on_step);
  stop_if_interrupted();
  if (settings.quiet) fmt::print("{}\n\n", printable(loaded.task().drawn(solved.text), "\n"));
  fmt::print("  {} in {}\n",
             solved.check.right() ? "verified: right" : tasks::name_of(solved.check.result),
             inference::passes_of(solved.best.passes));
  if (!solved.check.faults.empty())
    fmt::print("  {}\n", printable(solved.check.faults.front().words));
  fmt::print("\n");
}

// Left to right and diffusion on the same puzzles.
void compare(const DemoPair& pair, const DemoSettings& settings) {
  formats::MarkdownTable table({{"model"},
                                {"answers"},
                                {"right %", formats::Align::kRight},
                                {"passes", formats::Align::kRight},
                                {"puzzles/s", formats::Align::kRight}});
  const auto count = static_cast<std::size_t>(settings.count);
  for (const auto& [model, how] : {std::pair{&pair.left_to_right, "left to right"},
                                   std::pair{&pair.diffusion, "by diffusion"}}) {
    const inference::LoadedModel loaded = load(*model, settings);
    const FreshPuzzles puzzles =
        fresh_puzzles(loaded, static_cast<std::uint64_t>(settings.seed) + 1, count);
    const auto result =
        evaluation::evaluate(loaded, puzzles.examples, loaded.card().decoding, /*batch=*/64);
    stop_if_interrupted();
    table.add_row({model->name, how, fmt::format("{:.0f}", 100 * result.score.all.accuracy()),
                   fmt::format("{:.1f}", result.forward_passes),
                   fmt::format("{:.0f}", result.samples_per_second)});
  }
  fmt::print("Two networks of the same size ({} parameters), {} fresh puzzles of {}:\n{}\n",
             parameters_of(pair.diffusion), count, pair.diffusion.config.about.card->task,
             table.text());
}

void run_demo(const DemoSettings& settings) {
  const std::vector<DemoModel> models = models_to_watch();
  if (models.empty())
    throw Error("there are no models to show", "a folder models/ with models",
                "MGDM_MODELS=FOLDER names one");
  fmt::print(
      "Answers begin as [MASK]s, shown as _, and fill in, easy parts first; here in up to ten\n"
      "passes, to watch them. `solve` takes as many as a puzzle needs. A row gets shorter once "
      "the\n"
      "model has decided where the answer ends.\n{}\n",
      colour_legend());
  for (const DemoModel& model : models) watch(model, settings);
  for (const DemoPair& pair : pairs_to_compare()) compare(pair, settings);
  const std::string& name = models.back().name;
  fmt::print(
      "Try:\n"
      "  {0} eval --model {2}\n"
      "  {0} generate {1} --split test --count 3 | {0} solve --model {2} --show\n"
      "  {0} solve --help\n",
      called_as(), models.back().config.about.card->task, name);
}

}  // namespace

Command demo_command() {
  return make_command<DemoSettings>("demo",
                                    "Watch models solve fresh puzzles, and see who can look ahead",
                                    "  mgdm demo\n"
                                    "  mgdm demo --seed 7 --count 200\n",
                                    {}, {}, run_demo);
}

}  // namespace mgdm::cli
