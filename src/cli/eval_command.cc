#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/decoding_flags.h"
#include "cli/loss_report.h"
#include "cli/models.h"
#include "cli/result_json.h"
#include "cli/score_report.h"
#include "cli/threads.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "data/examples_file.h"
#include "evaluation/evaluate.h"
#include "evaluation/loss_profile.h"
#include "formats/jsonl.h"

namespace mgdm::cli {
namespace {

using Examples = std::vector<tasks::Example>;

struct EvalSettings {
  std::string model, data, device = "auto", json, predictions, losses, figure, figure_over = "auto";
  std::int64_t limit = 0, batch = 256, samples = 1, threads = 0;
  DecodingFlags decode;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder, or the name of a model we ship");
    v.field("data", data, "the puzzles: JSONL, Sudoku CSV or lines");
    v.field("limit", limit, "only the first N puzzles (0 = all)", config::at_least(0));
    decode.visit(v);
    v.field("batch", batch, "puzzles decoded at a time", config::range(1, 1e6));
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    visit_threads(v, threads);
    v.field("json", json, "write the score to this file; - prints it alone");
    v.field("predictions", predictions, "write the answers to this file, one JSON object per line");
    v.field("losses", losses,
            "instead of decoding, write the loss at each of --steps noise levels and each position "
            "to this JSON file");
    v.field("samples", samples, "losses: noised copies of every puzzle at every level",
            config::range(1, 1e6));
    v.field("figure", figure, "losses: draw them into this SVG file");
    v.field("figure_over", figure_over, "losses: what the figure draws them against",
            config::one_of({"auto", "level", "position"}));
    v.field("quiet", quiet, "print nothing but errors");
  }
};

Examples read_puzzles(const EvalSettings& settings, const tasks::Task& task) {
  Examples examples;
  for (auto& located : data::read_examples(settings.data, task)) {
    if (settings.limit > 0 && examples.size() == static_cast<std::size_t>(settings.limit)) break;
    examples.push_back(std::move(located.example));
  }
  return examples;
}

void write_predictions(const std::string& path, const Examples& examples,
                       const std::vector<std::string>& answers) {
  AtomicFile file(path);
  for (std::size_t i = 0; i < examples.size(); ++i)
    file.write(formats::jsonl_line({{"input", examples[i].input}, {"output", answers[i]}}));
  file.commit();
}

// Restarts stand apart: what a single try reaches is never mixed with what a verifier picks.
nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries) {
  nlohmann::ordered_json json = score_json(task, result.score);
  json["forward_passes"] = result.forward_passes;
  json["samples_per_second"] = result.samples_per_second;
  if (tries == 1) return json;
  const tasks::Tally& best = result.best.all;
  json["best_of_tries"] = {{"tries", tries},
                           {"accuracy", best.accuracy()},
                           {"accuracy_paper", number_or_null(best.accuracy_paper())},
                           {"stderr", best.standard_error()},
                           {"stderr_paper", number_or_null(best.standard_error_paper())},
                           {"forward_passes", result.best_forward_passes}};
  return json;
}

void measure_score(EvalSettings settings, const evaluation::Reasoner& reasoner,
                   const Examples& examples) {
  const std::string task = reasoner.task().name();
  Progress progress("evaluating " + task, examples.size(), settings.quiet);
  const evaluation::Evaluation result =
      evaluation::evaluate(reasoner, examples, settings.decode.settings, settings.batch,
                           [&](std::size_t n) { progress.add(n); });
  const std::int64_t tries = settings.decode.settings.tries;
  if (!settings.predictions.empty())
    write_predictions(settings.predictions, examples, result.answers);
  if (!settings.json.empty())
    write_file(settings.json,
               result_text(evaluation_json(task, result, tries), config::Fields(settings).all()));
  if (settings.quiet) return;
  std::FILE* const out = for_people({settings.json, settings.predictions});
  fmt::print(out, "{}\nforward passes per puzzle {:.1f}, puzzles per second {:.1f}\n",
             score_text(task, result.score), result.forward_passes, result.samples_per_second);
  if (tries > 1)
    fmt::print(
        out,
        "with up to {} tries until one verifies: accuracy {:.1f} ± {:.1f} %, forward passes {:.1f}"
        "\n",
        tries, 100 * result.best.all.accuracy(), 100 * result.best.all.standard_error(),
        result.best_forward_passes);
}

void measure_losses(EvalSettings settings, const evaluation::Reasoner& reasoner,
                    const Examples& examples) {
  const std::string task = reasoner.task().name();
  Progress progress("measuring losses on " + task, examples.size(), settings.quiet);
  const std::size_t rows = std::min(static_cast<std::size_t>(settings.batch), examples.size());
  const evaluation::LossProfile profile = compat::with_memory_for(
      fmt::format("{} puzzles at a time", rows), evaluation::less_memory(rows), [&] {
        return evaluation::profile_losses(reasoner, examples,
                                          {.levels = settings.decode.settings.steps,
                                           .samples = settings.samples,
                                           .seed = settings.decode.settings.seed,
                                           .batch = settings.batch},
                                          [&](std::size_t n) { progress.add(n); });
      });
  write_file(settings.losses, result_text(loss_json(task, examples.size(), profile),
                                          config::Fields(settings).all()));
  if (!settings.figure.empty()) {
    const bool has_levels = profile.all.noised.levels() > 1;
    const bool over_level =
        settings.figure_over == "level" || (settings.figure_over == "auto" && has_levels);
    write_file(settings.figure,
               loss_figure(task, profile, over_level ? Axis::kLevel : Axis::kPosition));
  }
  if (!settings.quiet)
    fmt::print(for_people({settings.losses, settings.figure}), "{}", loss_text(task, profile));
}

// What is written must not push out what is read, or something else that is written.
void check_files(const EvalSettings& settings) {
  struct Named {
    const char* flag;
    const std::string& file;
    bool written = true;
  };
  std::map<std::string, std::string> flags;  // by the file that a flag names
  for (const auto& [flag, file, written] :
       {Named{"--data", settings.data, false}, Named{"--json", settings.json},
        Named{"--predictions", settings.predictions}, Named{"--losses", settings.losses},
        Named{"--figure", settings.figure}}) {
    if (file.empty()) continue;
    const bool printed = written && is_standard_output(file);
    if (!printed && (file == "-" || is_special(file))) continue;
    const auto [other, is_new] = flags.emplace(printed ? "-" : full_name(file), flag);
    if (!is_new)
      throw UsageError(fmt::format("{} and {} name the same file, {}", other->second, flag, file),
                       "a file for each");
  }
}

void run(const EvalSettings& asked) {
  EvalSettings settings = asked;
  check_files(settings);
  const bool losses = !settings.losses.empty();
  if (losses && (!settings.json.empty() || !settings.predictions.empty()))
    throw UsageError("--losses with --json or --predictions",
                     "one of the two: losses are measured without decoding");
  const EvalSettings defaults;
  if (!losses && (!settings.figure.empty() || settings.figure_over != defaults.figure_over ||
                  settings.samples != defaults.samples))
    throw UsageError("--figure, --figure-over or --samples without --losses",
                     "--losses FILE.json --figure FILE.svg");
  settings.threads = compat::use_threads(static_cast<int>(settings.threads));
  const auto reasoner =
      evaluation::Reasoner::load(find_model(settings.model), compat::device(settings.device));
  settings.decode.settings = settings.decode.over(reasoner.card().decoding);
  const Examples examples = read_puzzles(settings, reasoner.task());
  (losses ? measure_losses : measure_score)(settings, reasoner, examples);
}

}  // namespace

Command eval_command() {
  Command command = make_command<EvalSettings>(
      "eval", "Measure a model on puzzles: both metrics, what went wrong, passes, speed, losses",
      "  mgdm eval --model runs/planning/checkpoint-4883 --data test.jsonl\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --steps 5 --json "
      "score.json\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --decoding margin --noise "
      "0\n"
      "  mgdm eval --model runs/planning/checkpoint-4883 --data test.jsonl --losses losses.json "
      "--figure losses.svg\n",
      {}, {"model", "data"}, run);
  command.inherited = decoding_keys();
  return command;
}

}  // namespace mgdm::cli
