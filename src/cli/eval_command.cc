#include "cli/eval_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/fresh_puzzles.h"
#include "cli/named_files.h"
#include "data/examples_file.h"
#include "evaluation/evaluate.h"
#include "evaluation/evaluation_json.h"
#include "evaluation/result_json.h"
#include "evaluation/score_report.h"
#include "formats/jsonl.h"
#include "inference/models.h"
#include "model_files/describe.h"

namespace mgdm::cli {

using Examples = std::vector<tasks::Example>;

Examples read_puzzles(const EvalSettings& settings, const tasks::Task& task) {
  Examples examples;
  for (auto& located : data::read_examples(settings.data, task)) {
    if (settings.limit > 0 && examples.size() == static_cast<std::size_t>(settings.limit)) break;
    examples.push_back(std::move(located.example));
  }
  return examples;
}

namespace {

void write_predictions(const std::string& path, const Examples& examples,
                       const std::vector<evaluation::Answer>& answers) {
  AtomicFile file(path);
  for (std::size_t i = 0; i < examples.size(); ++i)
    file.write(
        formats::jsonl_line({{"input", examples[i].input}, {"output", answers[i].first.text}}));
  file.commit();
}

void print_score(const EvalSettings& settings, const std::string& task,
                 const evaluation::Evaluation& result) {
  std::FILE* const out = evaluation::for_people({settings.json, settings.predictions});
  say_to(out, "{}\nforward passes per puzzle {:.1f}, puzzles per second {:.1f}\n",
         evaluation::score_text(task, result.score), result.forward_passes,
         result.samples_per_second);
  if (result.symmetries > 1)
    say_to(out,
           "each answer is a vote over {} symmetries of the puzzle, or all that it has; the "
           "passes of all count\n",
           result.symmetries);
  if (const std::int64_t tries = settings.decode.settings.tries; tries > 1)
    say_to(
        out,
        "with up to {} tries until one verifies: accuracy {:.1f} ± {:.1f} %, forward passes {:.1f}"
        "\n",
        tries, 100 * result.best.all.accuracy(), 100 * result.best.all.standard_error(),
        result.best_forward_passes);
}

evaluation::Evaluation measured(const EvalSettings& settings, const inference::LoadedModel& model,
                                const Examples& examples) {
  Progress progress("evaluating " + model.task().name(), examples.size(), settings.quiet);
  return evaluation::evaluate(model, examples, settings.decode.settings, settings.batch,
                              [&](std::size_t n) { progress.add(n); });
}

// Says what of the puzzles models are not trained on.
void note_unfamiliar(const tasks::Task& task, const Examples& examples) {
  std::optional<std::string> first;
  std::size_t count = 0;
  for (const tasks::Example& example : examples)
    if (const auto words = task.unfamiliar(example.input)) {
      if (!first) first = words;
      ++count;
    }
  if (first)
    say("note: {} that the model was trained on, in {} of {} puzzles\n", printable(*first), count,
        examples.size());
}

void measure_score(EvalSettings settings, const inference::LoadedModel& model,
                   const Examples& examples) {
  const std::string task = model.task().name();
  if (!settings.quiet) note_unfamiliar(model.task(), examples);
  const decoding::DecodingSettings& decoding = settings.decode.settings;
  evaluation::Evaluation result;
  try {
    result = measured(settings, model, examples);
  } catch (const evaluation::InterruptedEvaluation& interrupted) {
    // Files are of all puzzles or not written.
    if (const std::size_t n = interrupted.first.answers.size(); n > 0 && !settings.quiet) {
      say_to(evaluation::for_people({settings.json, settings.predictions}),
             "interrupted: this is about the first {} of {} puzzles{}\n", n, examples.size(),
             settings.json.empty() && settings.predictions.empty() ? "" : "; no file is written");
      print_score(settings, task, interrupted.first);
    }
    throw;
  }
  if (!settings.quiet) print_score(settings, task, result);  // also where a disk is full
  if (!settings.predictions.empty())
    write_predictions(settings.predictions, examples, result.answers);
  if (!settings.json.empty()) {
    settings.decode.settings.revise = model.resolved(decoding).revise;
    write_file(settings.json,
               evaluation::result_text(evaluation::evaluation_json(task, result, decoding.tries),
                                       counting(config::Fields(settings).all(), model, decoding)));
  }
}

void check_flags(const EvalSettings& settings) {
  check_files({{"--data", settings.data, /*written=*/false},
               {"--json", settings.json},
               {"--predictions", settings.predictions},
               {"--losses", settings.losses},
               {"--figure", settings.figure}});
  const bool losses = !settings.losses.empty();
  constexpr std::int64_t kMostFresh = 1'000'000;
  if (settings.data.empty() && settings.limit > kMostFresh)
    throw UsageError(fmt::format("--limit {} without --data", settings.limit),
                     fmt::format("at most {} fresh puzzles, or --data FILE", kMostFresh));
  if (losses && settings.data.empty()) throw UsageError("--losses without --data", "--data FILE");
  if (losses && (!settings.json.empty() || !settings.predictions.empty()))
    throw UsageError("--losses with --json or --predictions",
                     "one of the two: losses are measured without decoding");
  const EvalSettings defaults;
  if (!losses && (!settings.figure.empty() || settings.figure_over != defaults.figure_over ||
                  settings.samples != defaults.samples))
    throw UsageError("--figure, --figure-over or --samples without --losses",
                     "--losses FILE.json --figure FILE.svg");
}

// Those of every run are the same, so that models can be compared.
Examples generated(const EvalSettings& settings, const inference::LoadedModel& model) {
  constexpr std::uint64_t kSeed = 77;
  constexpr std::int64_t kCount = 1000;
  const std::int64_t count = settings.limit > 0 ? settings.limit : kCount;
  FreshPuzzles puzzles =
      fresh_puzzles(model, kSeed, static_cast<std::size_t>(count), settings.quiet);
  if (!settings.quiet)
    say_to(evaluation::for_people({settings.json, settings.predictions}),
           "{} fresh puzzles of the test split: {}\n", count, puzzles.about);
  return std::move(puzzles.examples);
}

void run_eval(const EvalSettings& asked) {
  EvalSettings settings = asked;
  settings.compute.threads = thread_count(static_cast<int>(settings.compute.threads));
  const std::string folder = inference::find_model(settings.model);
  if (!settings.quiet) say("{}", printable(model_files::unchecked_note(folder), "\n"));
  const auto model = inference::LoadedModel::load(folder, settings.compute.settings());
  settings.compute.arithmetic = model.network().arithmetic;
  settings.decode.settings = settings.decode.over(model);
  measure_score(
      settings, model,
      settings.data.empty() ? generated(settings, model) : read_puzzles(settings, model.task()));
}

}  // namespace

Command eval_command(const MeasureLosses& measure_losses) {
  const auto either = [measure_losses](const EvalSettings& settings) {
    check_flags(settings);
    if (settings.losses.empty()) return run_eval(settings);
    if (!measure_losses) throw needs_libtorch("eval --losses");
    measure_losses(settings);
  };
  Command command = make_command<EvalSettings>(
      "eval", "Measure a model on puzzles: both metrics, what went wrong, passes, speed, losses",
      "  mgdm eval --model sudoku\n"
      "  mgdm eval --model runs/planning/checkpoint-4883 --data test.jsonl\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --steps 5 --json "
      "score.json\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --decoding margin --noise "
      "0\n"
      "  mgdm eval --model runs/planning/checkpoint-4883 --data test.jsonl --losses losses.json "
      "--figure losses.svg\n",
      {}, {"model"}, either);
  command.inherited = decoding_keys();
  return command;
}

}  // namespace mgdm::cli
