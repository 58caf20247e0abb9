// The loss of a hard subgoal (figure 3): what left-to-right models must predict without looking
// ahead is easier where some of what follows is shown.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/files.h"
#include "base/paths.h"
#include "evaluation/loss_table.h"
#include "formats/jsonl.h"
#include "model_files/checkpoint_config.h"
#include "reproduction/kept_results.h"
#include "reproduction/plan.h"
#include "reproduction/puzzles.h"
#include "reproduction/trained.h"
#include "tasks/all_tasks.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeftToRight = "paper/planning-tiny-ar";
constexpr const char* kDiffusion = "paper/planning-tiny-mgdm-1200";
constexpr int kDistance = 3;
constexpr int kLevels = 20;
constexpr std::size_t kSamples = 1000;  // of x_t for each t, as in the paper

using Puzzles = std::vector<tasks::Example>;

// The puzzles at that distance.
Puzzles hard_puzzles(const Context& context) {
  const auto task = tasks::make_task("planning");
  Puzzles puzzles = puzzles_of({.task = "planning"}, context);
  std::erase_if(puzzles, [&](const tasks::Example& puzzle) {
    return task->abilities().lookahead->planning_distance(puzzle) != kDistance;
  });
  return puzzles;
}

// The losses of a model, or why there are none.
struct Measured {
  Json losses;
  std::string note = {};
  std::vector<std::string> commands = {};
};

fs::path puzzles_file(const Context& context) {
  return context.out / "hard-subgoal" / "puzzles.jsonl";
}

// A file of them, for the command in the table.
void write_puzzles(const fs::path& file, const Puzzles& puzzles) {
  make_folder(file.parent_path());
  AtomicFile written(file.string());
  for (const tasks::Example& puzzle : puzzles)
    written.write(formats::jsonl_line({{"input", puzzle.input}, {"output", puzzle.output}}));
  written.commit();
}

// The losses on the first `count` puzzles.
Json measure_losses(const Context& context, const std::string& model, const Puzzles& puzzles,
                    std::size_t count, std::size_t samples) {
  const std::span<const tasks::Example> some = std::span(puzzles).first(count);
  const auto card = model_files::read_config(model).about.card;
  Json json = evaluation::loss_json(
      "planning", count,
      context.workers->measure_losses({.model = model,
                                       .puzzles = {some.begin(), some.end()},
                                       .levels = kLevels,
                                       .samples = static_cast<std::int64_t>(samples),
                                       .seed = card ? card->decoding.seed : 1,
                                       .device = context.device,
                                       .threads = context.threads,
                                       .quiet = context.quiet}));
  if (count < puzzles.size()) {
    json["note"] = fmt::format("the first {} puzzles of {}", count, puzzles.size());
    json["limit"] = count;
  }
  return json;
}

// With a budget each puzzle is noised once, and the first few tell how many there is time for.
Json measure_in(double seconds, const Context& context, const std::string& model,
                const Puzzles& puzzles) {
  constexpr std::size_t kFew = 4;
  constexpr double kSurely = 0.7;
  const std::size_t few = std::min(kFew, puzzles.size());
  const Stopwatch watch(context);
  Json json = measure_losses(context, model, puzzles, few, 1);
  const double spent = std::max(1e-3, watch.seconds());
  const double likely = kSurely * static_cast<double>(few) * (seconds - spent) / spent;
  if (likely <= static_cast<double>(few) || few == puzzles.size()) return json;
  const double most = std::min(likely, static_cast<double>(puzzles.size()));
  return measure_losses(context, model, puzzles, static_cast<std::size_t>(most), 1);
}

// `seconds` count with a budget only.
Measured losses_of(const Context& context, const std::string& model, const Puzzles& puzzles,
                   double seconds) {
  const auto trained = find_trained(context, model);
  if (!trained) return {{}, why_untrained(context, model)};
  if (puzzles.empty()) return {{}, fmt::format("no puzzle of distance {}", kDistance)};
  const bool whole = context.budget == 0;
  const std::size_t samples = whole ? (kSamples + puzzles.size() - 1) / puzzles.size() : 1;
  Measured measured{{}, trained->note, {trained->command}};
  const fs::path file = kept_file(
      context, fmt::format("{} losses of {} puzzles {} limit {} budget {}", identity(*trained),
                           puzzles.size(), samples, context.limit, context.budget));
  if (!read_kept(file)) {
    if (context.workers == nullptr) return {{}, "losses need the program with LibTorch"};
    if (!whole && seconds <= 0) return {{}, "not measured: the budget was spent before"};
    write_puzzles(puzzles_file(context), puzzles);
    keep(file, whole ? measure_losses(context, trained->folder, puzzles, puzzles.size(), samples)
                     : measure_in(seconds, context, trained->folder, puzzles));
  }
  measured.losses = read_kept(file).value_or(Json::object());
  if (const std::string note = text_at(measured.losses, "note"); !note.empty())
    measured.note += (measured.note.empty() ? "" : "; ") + note;
  const auto limit = number_at(measured.losses, "limit");
  measured.commands.push_back(
      fmt::format("mgdm eval --model {} --data {}{} --steps {} --samples {} --losses losses.json",
                  trained->folder, puzzles_file(context).string(),
                  limit ? fmt::format(" --limit {:.0f}", *limit) : "", kLevels, samples));
  return measured;
}

using Levels = std::vector<std::optional<double>>;

TableRow row_of(const std::string& label, const Levels& losses, const Measured& measured) {
  TableRow row{label, {}};
  for (const auto& loss : losses) {
    row.values.emplace_back();
    row.values.back().ours = loss;
    row.values.back().note = measured.note;
  }
  if (!row.values.empty()) row.values.front().commands = measured.commands;
  return row;
}

// A row with the same value at every noise level.
TableRow level_line(const std::string& label, std::optional<double> loss,
                    const Measured& measured) {
  return row_of(label, Levels(kLevels, loss), measured);
}

Levels by_level(const Json& losses) {
  Levels levels;
  if (losses.contains("loss_at_subgoal_by_level"))
    for (const Json& loss : losses["loss_at_subgoal_by_level"])
      levels.push_back(loss.is_number() ? std::optional(loss.get<double>()) : std::nullopt);
  return levels;
}

// -log p(x_n | all others) by eq. 6 of the paper: w(t) = 1/t of the levels t = 1..T, and x_n is
// masked at t with probability t/T, so that each level has the weight 1/T.
std::optional<double> overall(const Levels& levels) {
  double sum = 0;
  for (const auto& level : levels) {
    if (!level) return std::nullopt;
    sum += *level / static_cast<double>(levels.size());
  }
  return levels.empty() ? std::nullopt : std::optional(sum);
}

std::vector<TableRow> hard_subgoal(const Context& context, const TimeLeft& time) {
  const Puzzles puzzles = hard_puzzles(context);
  const Measured ar = losses_of(context, kLeftToRight, puzzles, time.seconds() / 2);
  const auto ar_levels = by_level(ar.losses);
  std::vector<TableRow> rows{level_line("AR: what stands before is shown",
                                        ar_levels.empty() ? std::nullopt : ar_levels.front(), ar)};
  const Measured diffusion = losses_of(context, kDiffusion, puzzles, time.seconds());
  if (diffusion.losses.empty()) {
    rows.push_back(level_line("MGDM", std::nullopt, diffusion));
    return rows;
  }
  const auto levels = by_level(diffusion.losses);
  rows.push_back(row_of("MGDM: at noise level t", levels, diffusion));
  rows.push_back(level_line("MGDM: over all levels", overall(levels), diffusion));
  const Json contexts = object_at(diffusion.losses, "loss_at_subgoal_by_context");
  for (const auto& [shown, label] :
       {std::pair("before", "what stands before is shown"), std::pair("after", "what stands after"),
        std::pair("both", "all but the subgoal"), std::pair("nothing", "nothing")})
    rows.push_back(
        level_line(fmt::format("MGDM: {}", label), number_at(contexts, shown), diffusion));
  return rows;
}

}  // namespace

Plan hard_subgoal_plan() {
  Table frame{"hard-subgoal",
              "Planning: the loss of a hard subgoal by noise level and by what is shown",
              "Figure 3"};
  frame.corner = "noise level t";
  for (int t = 0; t < kLevels; ++t) frame.columns.push_back(std::to_string(t));
  frame.unit = "cross entropy, nats";
  frame.chart = Chart::kLines;
  frame.notes = {
      "At planning distance 3, at the first character by which the right way and the other one "
      "differ: who cannot look ahead has ln 2 = 0.69 there. Unweighted; (t + 1) / 20 of the answer "
      "is masked. The paper prints no numbers; its figure has the first four lines."};
  Plan plan{frame, {}, hard_subgoal};
  plan.models = {kLeftToRight, kDiffusion};
  return plan;
}

}  // namespace mgdm::reproduction
