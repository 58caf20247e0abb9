#include "reproduction/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "base/version.h"
#include "evaluation/evaluate.h"
#include "evaluation/score_report.h"
#include "model_files/checkpoint_config.h"
#include "reproduction/kept_results.h"
#include "reproduction/puzzles.h"
#include "spec/tensors.h"
#include "tasks/score.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

double number_or_zero(const Json& json, const std::string& name) {
  return number_at(json, name).value_or(0);
}

// Not every endpoint counts them.
std::optional<double> tokens_at(const Json& json, const std::string& name) {
  const auto tokens = number_at(json, name);
  return tokens && *tokens > 0 ? tokens : std::nullopt;
}

// The standard error of a fraction of n, in %.
double percent_error(double fraction, double n) {
  return n > 0 ? 100 * std::sqrt(fraction * (1 - fraction) / n) : 0;
}

fs::path cell_file(const Context& context, const Trained& trained, const Cell& cell) {
  return kept_file(context,
                   fmt::format("{} {} limit {} files {}", identity(trained), evaluation_key(cell),
                               context.limit, context.files.string()));
}

// The result as it was measured before, all of it or what a budget left.
std::optional<Json> known_result(const fs::path& file) {
  auto json = read_kept(file);
  if (!json || !json->contains("accuracy")) return std::nullopt;
  return json;
}

bool is_cut(const Json& result) { return result.contains("partial"); }

// What a budget left of it, for going on; nothing where there is none.
evaluation::PartialEvaluation partial_of(const fs::path& file, std::size_t puzzles) {
  const auto known = known_result(file);
  if (!known) return {};
  evaluation::PartialEvaluation partial = read_partial(object_at(*known, "partial"));
  return partial.answers.size() <= puzzles ? std::move(partial) : evaluation::PartialEvaluation();
}

struct Ready {
  inference::LoadedModel model;
  decoding::DecodingSettings decoding;
  std::vector<tasks::Example> puzzles;
};

Ready make_ready(const Context& context, const Trained& trained, const Cell& cell) {
  auto puzzles = puzzles_of(cell.test, context);
  auto model = inference::LoadedModel::load(trained.folder,
                                            {.device = context.device, .threads = context.threads});
  decoding::DecodingSettings decoding = model.card().decoding;
  struct Visited {
    decoding::DecodingSettings& settings;
    void visit(config::Visitor& v) { settings.visit(v); }
  } visited{decoding};
  config::Fields fields(visited);
  for (const std::string& change : cell.decoding) fields.set(change);
  return {std::move(model), decoding, std::move(puzzles)};
}

// Accuracy by how hard others have rated the puzzles.
void add_ratings(const TestSet& test, const Context& context, const Ready& ready,
                 const evaluation::Evaluation& result, Json& json) {
  if (!test.rated) return;
  const std::vector<double> ratings = ratings_of(test, context);
  std::map<std::string, tasks::Score> parts;
  for (std::size_t i = 0; i < result.answers.size(); ++i)
    parts[rating_name(ratings[i])].add(ready.model.task(), ready.puzzles[i],
                                       result.answers[i].first.text);
  for (const auto& [name, score] : parts)
    json["accuracy_by_rating"][name] = evaluation::tally_json(score.all);
}

// How many tokens the model reads and writes for a puzzle, on average.
void add_tokens(const Ready& ready, const evaluation::Evaluation& result, Json& json) {
  const data::Vocabulary& vocabulary = ready.model.rows().vocabulary();
  double read = 0, written = 0;
  const auto n = static_cast<double>(result.answers.size());
  for (std::size_t i = 0; i < result.answers.size(); ++i) {
    read += static_cast<double>(vocabulary.count(ready.puzzles[i].input)) / n;
    const std::string_view answer = tasks::up_to_end(result.answers[i].first.text);
    written += attempt([&] { return static_cast<double>(vocabulary.count(answer)) / n; },
                       [&](const Error&) { return static_cast<double>(answer.size()) / n; });
  }
  json["prompt_tokens"] = read;
  json["generated_tokens"] = written;
}

constexpr std::int64_t kBatch = 256;

// The result as JSON, which is written down: with what it takes to go on, where it is not of all
// puzzles.
Json kept(const Context& context, const Trained& trained, const Cell& cell, const Ready& ready,
          const evaluation::Evaluation& result, const fs::path& file) {
  Json json = evaluation::evaluation_json(cell.test.task, result, ready.decoding.tries);
  add_ratings(cell.test, context, ready, result, json);
  json["model"] = trained.folder;
  json["parameters"] = spec::parameter_count(model_files::read_config(trained.folder).settings);
  json["device"] = ready.model.network().device;
  add_tokens(ready, result, json);
  const PuzzleFile puzzles = puzzle_file(cell.test);
  json["commands"] = Json::array();
  if (!puzzles.command.empty()) json["commands"].push_back(puzzles.command);
  const auto wanted = static_cast<std::size_t>(cell.test.count);
  const std::size_t measured = result.answers.size();
  json["commands"].push_back(fmt::format(
      "mgdm eval --model {} --data {}{}{}", is_recipe(cell.model) ? trained.folder : cell.model,
      puzzles.file, decoding_flags(cell),
      measured < wanted ? fmt::format(" --limit {}", measured) : ""));
  if (measured < ready.puzzles.size()) {
    json["note"] = fmt::format("the first {} puzzles of {}", measured, ready.puzzles.size());
    json["partial"] = partial_json(result);
  }
  json["version"] = version();
  json["git_revision"] = git_revision();
  keep(file, json);
  return json;
}

}  // namespace

std::string decoding_flags(const Cell& cell) {
  std::string out;
  for (const std::string& change : cell.decoding) {
    const std::size_t equals = change.find('=');
    const std::string key = change.substr(0, equals);
    out += fmt::format(" --{} {}", key == "order" ? "decoding" : key, change.substr(equals + 1));
  }
  return out;
}

std::string evaluation_key(const Cell& cell) {
  return fmt::format("{} on {} by{}", cell.model, about(cell.test), decoding_flags(cell));
}

bool is_measured(const Context& context, const Trained& trained, const Cell& cell) {
  const auto known = known_result(cell_file(context, trained, cell));
  return known && !is_cut(*known);
}

Json measure(const Context& context, const Trained& trained, const Cell& cell, double seconds) {
  const fs::path file = cell_file(context, trained, cell);
  if (auto known = known_result(file); known && (!is_cut(*known) || seconds <= 0))
    return *std::move(known);
  if (seconds <= 0) throw Error("not evaluated: the budget was spent before");
  const Stopwatch watch(context);
  const Ready ready = make_ready(context, trained, cell);
  Progress progress("evaluating " + cell.model, ready.puzzles.size(), context.quiet);
  // Reading the model and making the puzzles took some of the time. A few are answered however
  // little is left.
  constexpr double kNone = 1e-9;
  const double limit = std::isinf(seconds) ? 0 : std::max(kNone, seconds - watch.seconds());
  try {
    const evaluation::Evaluation result = evaluation::evaluate(
        ready.model, ready.puzzles, ready.decoding, kBatch, [&](std::size_t n) { progress.add(n); },
        limit, partial_of(file, ready.puzzles.size()));
    return kept(context, trained, cell, ready, result, file);
  } catch (const evaluation::InterruptedEvaluation& interrupted) {
    attempt(
        [&] {
          if (interrupted.first.score.all.n > 0)
            kept(context, trained, cell, ready, interrupted.first, file);
        },
        [](const Error& error) { say("{}\n", printable(error.seen())); });
    throw;
  }
}

Value value_of(const Cell& cell, const Json& result) {
  Value value;
  value.paper = cell.paper;
  value.n = count_at(result, "n").value_or(0);
  if (result.contains("commands"))
    for (const Json& command : result["commands"])
      if (command.is_string()) value.commands.push_back(command);
  value.revision = text_at(result, "git_revision");
  value.note = text_at(result, "note");
  if (cell.at_passes) value.x = number_or_zero(result, "forward_passes");
  const auto show = [&](double fraction) {
    value.ours = 100 * fraction;
    value.error = percent_error(fraction, static_cast<double>(value.n));
  };
  // By the released metric where it applies, the strict one beside it.
  const auto show_by_paper = [&](const Json& tally) {
    const double strict = number_or_zero(tally, "accuracy");
    const auto by_paper = number_at(tally, "accuracy_paper");
    show(by_paper.value_or(strict));
    if (by_paper) value.strict = 100 * strict;
  };
  switch (cell.quantity) {
    case Quantity::kAccuracyPaper:
      show_by_paper(result);
      // Where the metric does not apply to all of them.
      if (result.contains("n_paper")) value.error = 100 * number_or_zero(result, "stderr_paper");
      break;
    case Quantity::kAccuracy:
      show(number_or_zero(result, "accuracy"));
      value.error = 100 * number_or_zero(result, "stderr");  // of prompts: over means of samples
      break;
    case Quantity::kAtDistance: {
      const Json all = object_at(result, "accuracy_by_planning_distance");
      const std::string distance = std::to_string(cell.place);
      if (!all.contains(distance)) break;
      value.n = count_at(all[distance], "n").value_or(0);
      show_by_paper(all[distance]);
      break;
    }
    case Quantity::kPart: {
      const Json tally = object_at(object_at(result, cell.by), cell.part);
      if (tally.empty()) {
        value.note = "none of the puzzles";
        break;
      }
      value.n = count_at(tally, "n").value_or(0);
      show(number_or_zero(tally, "accuracy"));
      break;
    }
    case Quantity::kBestOfTries: {
      const Json best = object_at(result, "best_of_tries");
      show(number_or_zero(best, "accuracy"));
      value.error = 100 * number_or_zero(best, "stderr");
      break;
    }
    case Quantity::kPasses:
      value.ours = number_or_zero(result, "forward_passes");
      break;
    case Quantity::kParameters:
      if (const auto parameters = number_at(result, "parameters")) value.ours = *parameters / 1e6;
      break;
    case Quantity::kPerSecond:
      value.ours = number_or_zero(result, "samples_per_second");
      break;
    case Quantity::kErrors: {
      const Json places = object_at(object_at(result, "errors_at_place"), cell.error);
      if (value.n > 0)
        show(number_or_zero(places, std::to_string(cell.place)) / static_cast<double>(value.n));
      break;
    }
    case Quantity::kErrorKind:
      if (value.n > 0)
        show(number_or_zero(object_at(result, "errors"), cell.error) /
             static_cast<double>(value.n));
      break;
    case Quantity::kWrong:
      show(1 - number_or_zero(result, "accuracy"));
      break;
    case Quantity::kPromptTokens:
    case Quantity::kGeneratedTokens:
      value.ours = tokens_at(
          result, cell.quantity == Quantity::kPromptTokens ? "prompt_tokens" : "generated_tokens");
      if (!value.ours && value.note.empty()) value.note = "not counted";
      break;
  }
  return value;
}

}  // namespace mgdm::reproduction
