#include "reproduction/reproduce.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/version.h"
#include "formats/markdown_table.h"
#include "reproduction/measure.h"
#include "reproduction/puzzles.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

// The distinct evaluations of a plan, in its order, each by one of its cells.
std::vector<const Cell*> evaluations(const Plan& plan) {
  std::vector<const Cell*> found;
  std::set<std::string> seen;
  for (const PlanRow& row : plan.rows)
    for (const Cell& cell : row.cells)
      if (!cell.model.empty() && seen.insert(evaluation_key(cell)).second) found.push_back(&cell);
  return found;
}

bool needs_training(const Context& context, const std::string& model) {
  if (!is_recipe(model)) return false;
  const auto trained = find_trained(context, model);
  return !trained || (!trained->note.empty() && context.budget == 0);
}

// The recipes that are not trained yet, in the order of the plan.
std::vector<std::string> missing_trainings(const Plan& plan, const Context& context) {
  std::vector<std::string> models = plan.models, missing;
  for (const Cell* cell : evaluations(plan)) models.push_back(cell->model);
  std::set<std::string> seen;
  for (const std::string& model : models)
    if (seen.insert(model).second && needs_training(context, model)) missing.push_back(model);
  return missing;
}

constexpr double kTrainingShare = 0.8;  // of a budget; the rest is for evaluating

void train(const Context& context, const Plan& plan, const std::string& recipe, double seconds) {
  const bool whole = seconds == 0;
  TrainingOrder order{recipe_file(recipe), plan.overrides,
                      whole ? run_folder(context, recipe) : short_run_folder(context, recipe)};
  order.resume = is_there(order.out / "config.toml");
  if (!whole)
    for (const std::string& change :
         {std::string("training.epochs=0"), std::string("training.steps=0"),
          fmt::format("training.minutes={:.3f}", seconds / 60), std::string("evaluation.count=0")})
      order.overrides.push_back(change);
  context.trainer.train(order);
}

// What `mgdm prompt` has measured by a method, of several the first by name; none when it has not.
std::optional<Json> prompted(const Context& context, const std::string& method) {
  for (const fs::path& folder : files_in(context.runs)) {
    if (!is_there(folder / "score.json")) continue;
    Json json = Json::parse(read_file(folder / "score.json"), nullptr, /*allow_exceptions=*/false);
    if (!json.is_discarded() && json.value("task", "") == "game24" &&
        json.value("method", "") == method)
      return json;
  }
  return std::nullopt;
}

Value prompted_value(const Context& context, const Cell& cell) {
  const auto result = prompted(context, cell.prompted);
  if (!result) {
    Value value;
    value.paper = cell.paper;
    value.note = "mgdm prompt has not been run";
    return value;
  }
  Value value = value_of(cell, *result);
  value.note = "by " + result->value("model", "");
  value.commands = {fmt::format("mgdm prompt game24 --method {} --model {} ...", cell.prompted,
                                result->value("model", ""))};
  return value;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

// Measures cells, each evaluation once.
class Filler {
 public:
  Filler(const Context& context, double seconds) : context_(context), seconds_(seconds) {}

  Value fill(const Cell& cell) {
    if (!cell.prompted.empty()) return prompted_value(context_, cell);
    Value value;
    value.paper = cell.paper;
    if (cell.model.empty()) return value;
    const auto trained = find_trained(context_, cell.model);
    if (!trained) {
      value.note = fmt::format("not trained yet: mgdm train {}", recipe_words(cell.model));
      return value;
    }
    const auto [place, is_new] = results_.try_emplace(evaluation_key(cell));
    if (is_new) {
      stop_if_interrupted();
      try {
        place->second = measure(context_, *trained, cell, seconds_);
      } catch (const UsageError&) {
        throw;
      } catch (const Interrupted&) {
        throw;
      } catch (const Error& error) {
        place->second = {{"failed", error.seen()}};
      }
    }
    if (place->second.contains("failed")) {
      value.note = place->second["failed"].get<std::string>();
      return value;
    }
    value = value_of(cell, place->second);
    value.note = joined(trained->note, value.note);
    if (!trained->command.empty()) value.commands.insert(value.commands.begin(), trained->command);
    return value;
  }

 private:
  const Context& context_;
  const double seconds_;
  std::map<std::string, Json> results_;
};

std::string time_text(double seconds) { return "about " + format_duration(seconds); }

}  // namespace

Table reproduce(const Plan& plan, const Context& context) {
  Table table = plan.frame;
  const std::vector<std::string> missing = missing_trainings(plan, context);
  if (context.trainer.train) {
    const double share =
        missing.empty() ? 0 : kTrainingShare * context.budget / static_cast<double>(missing.size());
    for (const std::string& recipe : missing) {
      stop_if_interrupted();
      train(context, plan, recipe, share);
    }
  } else if (!missing.empty()) {
    table.notes.push_back(
        fmt::format("{} of the models are not trained to their end, and this program cannot train: "
                    "it was built "
                    "without LibTorch (./mgdm reproduce builds and runs the one that can).",
                    missing.size()));
  }
  if (plan.make) table.rows = plan.make(context);
  const std::size_t count = evaluations(plan).size();
  Filler filler(context, context.budget * (1 - kTrainingShare) /
                             static_cast<double>(std::max<std::size_t>(1, count)));
  for (const PlanRow& row : plan.rows) {
    TableRow filled{row.label, {}};
    for (const Cell& cell : row.cells) filled.values.push_back(filler.fill(cell));
    table.rows.push_back(std::move(filled));
  }
  if (context.budget > 0)
    table.notes.push_back(fmt::format("Shortened: everything here was given {} in all (--budget).",
                                      format_duration(context.budget)));
  if (context.limit > 0)
    table.notes.push_back(
        fmt::format("Shortened: at most {} puzzles per cell (--limit).", context.limit));
  return table;
}

std::string forecast(const Plan& plan, const Context& context) {
  using formats::Align;
  formats::MarkdownTable table({{"what"}, {"state"}, {"takes here", Align::kRight}});
  double total = 0;
  bool unknown = false;
  if (plan.make) table.add_row({plan.frame.title, "made from what is there", "seconds"});
  for (const std::string& recipe : missing_trainings(plan, context)) {
    const std::string what = "train " + recipe;
    if (!context.trainer.train) {
      table.add_row({what, "missing; this program cannot train", ""});
      continue;
    }
    if (context.budget > 0) {
      table.add_row({what, "missing; shortened to its share of the budget", ""});
      continue;
    }
    const spec::Recipe settings = spec::read_recipe(recipe_file(recipe), {});
    const double seconds =
        context.trainer.seconds_per_step(settings) * static_cast<double>(planned_steps(settings));
    total += seconds;
    table.add_row({what, "missing", time_text(seconds)});
  }
  for (const Cell* cell : evaluations(plan)) {
    stop_if_interrupted();
    const std::string what = fmt::format("evaluate {} on {}", cell->model, about(cell->test));
    const auto trained = find_trained(context, cell->model);
    if (!trained) {
      table.add_row({what, "after its training", "not known yet"});
      unknown = true;
    } else if (is_measured(context, *trained, *cell)) {
      table.add_row({what, "measured", "0s"});
    } else {
      try {
        const double seconds = estimate(context, *trained, *cell);
        total += seconds;
        table.add_row({what, "to be measured", time_text(seconds)});
      } catch (const UsageError&) {
        throw;
      } catch (const Interrupted&) {
        throw;
      } catch (const Error& error) {
        table.add_row({what, error.seen(), ""});
      }
    }
  }
  std::string sum = time_text(total);
  if (context.budget > 0) sum = fmt::format("{} (--budget)", format_duration(context.budget));
  return table.text() + fmt::format("\nin all {}{}\n", sum,
                                    unknown ? ", and what the evaluations of new models take" : "");
}

std::vector<std::string> write_table(const Table& table, const Context& context) {
  const fs::path folder = context.out / table.name;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  std::vector<std::string> written;
  const auto write = [&](const char* ending, const std::string& text) {
    written.push_back((folder / (table.name + ending)).string());
    write_file(written.back(), text);
  };
  write(".md", to_markdown(table));
  Json json = to_json(table);
  json["version"] = version();
  json["git_revision"] = git_revision();
  write(".json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (const std::string figure = to_figure(table); !figure.empty()) write(".svg", figure);
  return written;
}

}  // namespace mgdm::reproduction
