#include "reproduction/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/version.h"
#include "evaluation/evaluate.h"
#include "report/score_report.h"
#include "reproduction/puzzles.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

// A model that was trained anew is another model, though its folder has the same name.
std::string identity(const Trained& trained) {
  std::error_code ignored;
  std::string text = full_name(trained.folder);
  for (const char* file : {"config.json", "model.safetensors", "model.safetensors.index.json"}) {
    const fs::path path = fs::path(trained.folder) / file;
    const auto time = fs::last_write_time(path, ignored);
    if (ignored) continue;
    text += fmt::format(" {} {} {}", file, fs::file_size(path, ignored),
                        time.time_since_epoch().count());
  }
  return text;
}

fs::path cell_file(const Context& context, const Trained& trained, const Cell& cell) {
  const std::string key = fmt::format("{} {} limit {} files {}", identity(trained),
                                      evaluation_key(cell), context.limit, context.files.string());
  return context.out / "cells" / fmt::format("{:016x}.json", stable_hash(key));
}

std::optional<Json> read_result(const fs::path& file) {
  if (!is_there(file)) return std::nullopt;
  Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.contains("accuracy")) return std::nullopt;  // measured again
  return json;
}

struct Ready {
  inference::Reasoner reasoner;
  spec::DecodingSettings decoding;
  std::vector<tasks::Example> puzzles;
};

Ready make_ready(const Context& context, const Trained& trained, const Cell& cell) {
  auto puzzles = puzzles_of(cell.test, context);
  auto reasoner = inference::Reasoner::load(
      trained.folder, {.device = context.device, .threads = context.threads, .arithmetic = "fp32"});
  spec::DecodingSettings decoding = reasoner.card().decoding;
  struct Visited {
    spec::DecodingSettings& settings;
    void visit(config::Visitor& v) { settings.visit(v); }
  } visited{decoding};
  config::Fields fields(visited);
  for (const std::string& change : cell.decoding) fields.set(change);
  return {std::move(reasoner), decoding, std::move(puzzles)};
}

constexpr std::int64_t kBatch = 256;

// The flags of `mgdm eval` for the changes of a cell: "steps=1" is --steps 1.
std::string flags(const Cell& cell) {
  std::string out;
  for (const std::string& change : cell.decoding) {
    const std::size_t equals = change.find('=');
    const std::string key = change.substr(0, equals);
    out += fmt::format(" --{} {}", key == "order" ? "decoding" : key, change.substr(equals + 1));
  }
  return out;
}

double number_at(const Json& json, const char* name) {
  return json.contains(name) && json[name].is_number() ? json[name].get<double>() : 0;
}

}  // namespace

std::string evaluation_key(const Cell& cell) {
  return fmt::format("{} on {} by{}", cell.model, about(cell.test), flags(cell));
}

bool is_measured(const Context& context, const Trained& trained, const Cell& cell) {
  return read_result(cell_file(context, trained, cell)).has_value();
}

Json measure(const Context& context, const Trained& trained, const Cell& cell, double seconds) {
  const fs::path file = cell_file(context, trained, cell);
  if (auto known = read_result(file)) return *std::move(known);
  const Ready ready = make_ready(context, trained, cell);
  Progress progress("evaluating " + cell.model, ready.puzzles.size(), context.quiet);
  const evaluation::Evaluation result = evaluation::evaluate(
      ready.reasoner, ready.puzzles, ready.decoding, kBatch,
      [&](std::size_t n) { progress.add(n); }, seconds);
  Json json = report::score_json(cell.test.task, result.score);
  json["forward_passes"] = result.forward_passes;
  json["samples_per_second"] = result.samples_per_second;
  json["model"] = trained.folder;
  json["device"] = ready.reasoner.engine().device();
  const PuzzleFile puzzles = puzzle_file(cell.test);
  json["commands"] = Json::array();
  if (!puzzles.command.empty()) json["commands"].push_back(puzzles.command);
  const auto wanted = static_cast<std::size_t>(cell.test.count);
  json["commands"].push_back(fmt::format(
      "mgdm eval --model {} --data {}{}{}", is_recipe(cell.model) ? trained.folder : cell.model,
      puzzles.file, flags(cell),
      result.score.all.n < wanted ? fmt::format(" --limit {}", result.score.all.n) : ""));
  if (result.score.all.n < ready.puzzles.size())
    json["note"] =
        fmt::format("the first {} puzzles of {}", result.score.all.n, ready.puzzles.size());
  json["version"] = version();
  json["git_revision"] = git_revision();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw Error(
        fmt::format("cannot make the folder {}: {}", file.parent_path().string(), error.message()));
  write_file(file.string(), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return json;
}

double estimate(const Context& context, const Trained& trained, const Cell& cell) {
  const Ready ready = make_ready(context, trained, cell);
  if (ready.puzzles.empty()) return 0;
  constexpr std::size_t kSome = 16;
  const auto some = std::span(ready.puzzles).first(std::min(kSome, ready.puzzles.size()));
  const evaluation::Evaluation result =
      evaluation::evaluate(ready.reasoner, some, ready.decoding, kBatch);
  return result.seconds * static_cast<double>(ready.puzzles.size()) /
         static_cast<double>(some.size());
}

Value value_of(const Cell& cell, const Json& result) {
  Value value;
  value.paper = cell.paper;
  value.n = static_cast<std::size_t>(number_at(result, "n"));
  value.commands = result.value("commands", std::vector<std::string>{});
  value.revision = result.value("git_revision", "");
  value.note = result.value("note", "");
  const auto percent = [&](const Json& json, const char* name) {
    return std::optional(100 * number_at(json, name));
  };
  const bool paper_applies =
      result.contains("accuracy_paper") && result["accuracy_paper"].is_number();
  switch (cell.quantity) {
    case Quantity::kAccuracyPaper:
      if (paper_applies) {
        value.ours = percent(result, "accuracy_paper");
        value.error = percent(result, "stderr_paper");
        value.strict = percent(result, "accuracy");
        break;
      }
      [[fallthrough]];
    case Quantity::kAccuracy:
      value.ours = percent(result, "accuracy");
      value.error = percent(result, "stderr");
      break;
    case Quantity::kAtDistance: {
      const Json all = result.value("accuracy_by_planning_distance", Json::object());
      const std::string distance = std::to_string(cell.place);
      if (!all.contains(distance)) break;
      value.ours = percent(all[distance], "accuracy");
      value.n = static_cast<std::size_t>(number_at(all[distance], "n"));
      break;
    }
    case Quantity::kPerSecond:
      value.ours = number_at(result, "samples_per_second");
      break;
    case Quantity::kErrors: {
      const Json all = result.value("errors_by_place", Json::object());
      const Json places = all.value(cell.error, Json::object());
      value.ours = 100 * number_at(places, std::to_string(cell.place).c_str()) /
                   std::max(1.0, number_at(result, "n"));
      break;
    }
    case Quantity::kPromptTokens:
      value.ours = number_at(result, "prompt_tokens");
      break;
    case Quantity::kGeneratedTokens:
      value.ours = number_at(result, "generated_tokens");
      break;
  }
  return value;
}

}  // namespace mgdm::reproduction
