#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/models.h"
#include "cli/score_report.h"
#include "compat/device.h"
#include "data/examples_file.h"
#include "evaluation/evaluate.h"
#include "formats/jsonl.h"

namespace mgdm::cli {
namespace {

struct EvalSettings {
  std::string model, data, device = "auto", json, predictions;
  std::int64_t limit = 0, batch = 256;
  std::string decoding;
  decoding::Settings decode;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder, or the name of a model we ship");
    v.field("data", data, "the puzzles: JSONL, Sudoku CSV or lines");
    v.field("limit", limit, "only the first N puzzles (0 = all)", config::at_least(0));
    v.field("decoding", decoding, "which positions are shown first (empty = topk)",
            config::one_of({"", "topk", "random", "margin", "threshold", "entropy"}));
    decode.visit(v);
    v.field("batch", batch, "puzzles decoded at a time", config::range(1, 1e6));
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    v.field("json", json, "write the score to this file");
    v.field("predictions", predictions, "write the answers to this file, one JSON object per line");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

void run(const EvalSettings& settings) {
  const auto reasoner =
      evaluation::Reasoner::load(find_model(settings.model), compat::device(settings.device));
  std::vector<tasks::Example> examples;
  for (auto& located : data::read_examples(settings.data, reasoner.task())) {
    if (settings.limit > 0 && examples.size() == static_cast<std::size_t>(settings.limit)) break;
    examples.push_back(std::move(located.example));
  }
  decoding::Settings decode = settings.decode;
  if (!settings.decoding.empty()) decode.order = settings.decoding;

  Progress progress("evaluating " + reasoner.task().name(), examples.size(), settings.quiet);
  const evaluation::Evaluation result = evaluation::evaluate(
      reasoner, examples, decode, settings.batch, [&](std::size_t n) { progress.add(n); });
  if (!settings.predictions.empty()) {
    AtomicFile file(settings.predictions);
    for (std::size_t i = 0; i < examples.size(); ++i)
      file.write(
          formats::jsonl_line({{"input", examples[i].input}, {"output", result.answers[i]}}));
    file.commit();
  }
  std::vector<std::pair<std::string, double>> speed = {
      {"forward_passes", result.forward_passes}, {"samples_per_second", result.samples_per_second}};
  if (decode.tries > 1) {
    speed.emplace_back("accuracy_best_of_tries", result.best.all.accuracy());
    speed.emplace_back("accuracy_paper_best_of_tries", result.best.all.accuracy_paper());
  }
  std::map<std::string, std::string> used{{"model", settings.model}, {"data", settings.data}};
  for (const config::Field& field : config::Fields(decode).all()) used[field.key] = field.value();
  if (!settings.json.empty())
    write_file(settings.json, score_json(reasoner.task().name(), result.score, speed, used));
  if (settings.quiet) return;
  fmt::print("{}\nforward passes per puzzle {:.1f}, puzzles per second {:.1f}\n",
             score_text(reasoner.task().name(), result.score), result.forward_passes,
             result.samples_per_second);
  if (decode.tries > 1)
    fmt::print("with up to {} tries until one verifies: accuracy {:.1f}%\n", decode.tries,
               100 * result.best.all.accuracy());
}

}  // namespace

Command eval_command() {
  return make_command<EvalSettings>(
      "eval", "Measure a model on puzzles: both metrics, what went wrong, passes, speed",
      "  mgdm eval --model runs/planning/checkpoint-4883 --data test.jsonl\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --steps 5 --json "
      "score.json\n"
      "  mgdm eval --model runs/cd4/checkpoint-20000 --data test.jsonl --decoding margin --noise "
      "0\n",
      {}, {"model", "data"}, run);
}

}  // namespace mgdm::cli
