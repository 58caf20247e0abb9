#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/complaints.h"
#include "cli/explain_format.h"
#include "cli/flags.h"
#include "cli/named_files.h"
#include "cli/pick_model.h"
#include "cli/torch_work.h"
#include "data/examples_file.h"
#include "evaluation/evaluate.h"
#include "evaluation/loss_table.h"
#include "evaluation/score_report.h"
#include "formats/jsonl.h"
#include "inference/models.h"
#include "model_files/checkpoint_config.h"
#include "model_files/describe.h"
#include "spec/puzzle_rows.h"
#include "tasks/text/task.h"

namespace mgdm::cli {
namespace {

struct EvalSettings {
  std::string model, data, keys, verifier, json, predictions, losses, figure, figure_over = "auto";
  std::int64_t limit = 0, batch = 256, samples = 1;
  DecodingFlags decode;
  inference::ComputeSettings compute;
  bool explain_format = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder or a model's name");
    v.field(
        "data", data,
        "a file of puzzles in any format, or a folder of such files (default: 1000 generated "
        "test puzzles of the hardest kind, seed 77, or --limit of them; --losses needs a file)");
    v.field("explain_format", explain_format, kExplainFormatHelp);
    v.field("keys", keys, formats::kKeysHelp);
    v.field("verifier", verifier, tasks::text::kVerifierHelp);
    v.field("limit", limit, "use only the first N puzzles (0 = all)", config::at_least(0));
    decode.visit(v);
    v.field("batch", batch, "largest number of puzzles decoded together", config::range(1, 1e6));
    compute.visit(v);
    v.field("json", json, "write the score to this file; - prints it alone");
    v.field("predictions", predictions, "write the answers to this file, one JSON object per line");
    v.field(
        "losses", losses,
        "do not decode; write the loss at each of --steps noise levels and each position to this "
        "JSON file");
    v.field("samples", samples, "losses: number of noised copies of every puzzle at every level",
            config::range(1, 1e6));
    v.field("figure", figure, "losses: draw them as an SVG file");
    v.field("figure_over", figure_over, "losses: the horizontal axis of the figure",
            config::one_of({"auto", "level", "position"}));
    v.field("quiet", quiet, "print nothing but errors");
  }
};

using Examples = std::vector<tasks::Example>;

// A record that is no puzzle is reported and left out.
Examples read_puzzles(const EvalSettings& settings, const tasks::Task& task,
                      Complaints& complaints) {
  Examples examples;
  for (auto& located : data::read_examples(settings.data, task, formats::keys_of(settings.keys),
                                           [&](const Error& error) { complaints.add(error); })) {
    if (settings.limit > 0 && examples.size() == static_cast<std::size_t>(settings.limit)) break;
    examples.push_back(std::move(located.example));
  }
  complaints.finish();
  if (examples.empty())
    throw Error(fmt::format("no puzzle in {} can be read", shown_path(settings.data)));
  return examples;
}

void write_predictions(const std::string& path, const Examples& examples,
                       const std::vector<evaluation::FirstAndBest>& answers) {
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
  if (settings.explain_format && (losses || settings.data.empty()))
    throw UsageError("--explain-format without a file of puzzles", "--data FILE, and no --losses");
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

// Every run has the same puzzles, so that models can be compared.
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

int run_eval(const EvalSettings& asked) {
  EvalSettings settings = asked;
  settings.compute.threads = thread_count(static_cast<int>(settings.compute.threads));
  const std::string folder = inference::find_model(settings.model);
  if (!settings.quiet) say("{}", printable(model_files::unchecked_note(folder), "\n"));
  auto model = inference::LoadedModel::load(folder, settings.compute);
  if (!settings.verifier.empty()) model.use_verifier(settings.verifier);
  if (settings.data.empty() && !model.task().abilities().generates)
    throw UsageError(fmt::format("{} without --data", folder),
                     "--data FILE: puzzles of the task text are not generated");
  if (settings.explain_format) {
    explain_format(settings.data, formats::keys_of(settings.keys), &model.task());
    return 0;
  }
  settings.compute.arithmetic = model.network().arithmetic;
  settings.decode.settings = settings.decode.over(model);
  Complaints complaints;
  measure_score(settings, model,
                settings.data.empty() ? generated(settings, model)
                                      : read_puzzles(settings, model.task(), complaints));
  return complaints.count() == 0 ? 0 : 1;
}

void draw(const EvalSettings& settings, const std::string& task,
          const evaluation::LossProfile& profile) {
  const bool has_levels = profile.all.noised.levels() > 1;
  const bool over_level =
      settings.figure_over == "level" || (settings.figure_over == "auto" && has_levels);
  write_file(settings.figure, evaluation::loss_figure(task, profile,
                                                      over_level ? evaluation::Axis::kLevel
                                                                 : evaluation::Axis::kPosition));
}

// --losses reads only two decoding flags: --steps (the noise levels) and --seed.
decoding::DecodingSettings levels_and_seed(const DecodingFlags& flags,
                                           const decoding::DecodingSettings& of_model) {
  decoding::DecodingSettings settings = of_model;
  for (const std::string& key : decoding_keys()) {
    if (!contains(flags.given, key)) continue;
    if (key == "steps")
      settings.steps = flags.settings.steps;
    else if (key == "seed")
      settings.seed = flags.settings.seed;
    else
      throw UsageError(fmt::format("--{} changes nothing with --losses", key),
                       "--steps or --seed: losses are measured without decoding");
  }
  return settings;
}

int measure_losses(const EvalSettings& asked, TorchWork& work) {
  EvalSettings settings = asked;
  settings.compute.threads = thread_count(static_cast<int>(settings.compute.threads));
  const std::string folder = inference::find_model(settings.model);
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  if (!config.about.card)
    throw Error(fmt::format("{} names no task", folder), "a model trained by mgdm");
  const spec::PuzzleRows rows(*config.about.card, model_files::read_vocabulary(folder, config));
  const std::string task = rows.task().name();
  const decoding::DecodingSettings decoding =
      levels_and_seed(settings.decode, config.about.card->decoding);
  settings.decode.settings = decoding;
  Complaints complaints;
  const Examples puzzles = read_puzzles(settings, rows.task(), complaints);
  const evaluation::LossProfile profile =
      work.measure_losses({.model = folder,
                           .puzzles = puzzles,
                           .levels = decoding.steps,
                           .samples = settings.samples,
                           .seed = decoding.seed,
                           .batch = settings.batch,
                           .device = settings.compute.device,
                           .threads = static_cast<int>(settings.compute.threads),
                           .quiet = settings.quiet});
  write_file(settings.losses,
             evaluation::result_text(evaluation::loss_json(task, puzzles.size(), profile),
                                     config::Fields(settings).all()));
  if (!settings.figure.empty()) draw(settings, task, profile);
  if (!settings.quiet)
    say_to(evaluation::for_people({settings.losses, settings.figure}), "{}",
           evaluation::loss_text(task, profile));
  return complaints.count() == 0 ? 0 : 1;
}

}  // namespace

Command eval_command(TorchWork* work) {
  const auto either = [work](const EvalSettings& settings) {
    check_flags(settings);
    if (settings.losses.empty()) return run_eval(settings);
    return measure_losses(settings, needed(work, "eval --losses"));
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
