#include "reproduction/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "base/version.h"
#include "formats/json_text.h"
#include "reproduction/kept_results.h"
#include "reproduction/measure.h"
#include "reproduction/puzzles.h"
#include "reproduction/trained.h"
#include "reproduction/trainings.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

// What went wrong with a training or an evaluation, in its note; the others go on.
using Failures = std::map<std::string, std::string>;

template <class Action>
void or_note(std::string& note, Action&& action) {
  attempt(action, [&](const Error& error) { note = error.seen(); });
}

// Says what there is to do, and how long training takes, unless a budget says so.
void announce(const Plan& plan, const Context& context, bool trains) {
  if (!trains || context.quiet || context.budget > 0) return;
  say("{}--budget 20m shortens it. Ctrl-C saves; the same command goes on.\n",
      printable(forecast(plan, context, /*times_all=*/false), "\n"));
}

// Trains what can be trained; why the others could not, by recipe.
Failures train_all(const Plan& plan, const Context& context, const TimeLeft& time) {
  Failures failures;
  std::vector<std::string> missing = missing_trainings(plan, context);
  std::erase_if(missing, [&](const std::string& recipe) {
    return !missing_weights(context, recipe).empty();
  });
  announce(plan, context, !missing.empty());
  const double for_evaluating =
      evaluations(plan).empty() ? 0 : (1 - kTrainingShare) * context.budget;
  const double share = seconds_for_each(plan, context);
  std::size_t left = missing.size();
  for (const std::string& recipe : missing) {
    stop_if_interrupted();
    // All trainings get the same, as long as there is enough.
    const double seconds =
        std::min(share, (time.seconds() - for_evaluating) / static_cast<double>(left--));
    std::string why, failure;
    or_note(failure, [&] { why = train(plan, context, recipe, seconds); });
    if (failure.empty() && why.empty()) continue;
    failures[recipe] = failure.empty() ? why : "training failed: " + failure;
    say("{}: {}\n", recipe, printable(failures[recipe]));
  }
  return failures;
}

// What `mgdm prompt` has measured by a method, of several on the most puzzles, of these the first
// by name; none when it has not.
std::optional<Json> prompted(const Context& context, const std::string& method) {
  std::optional<Json> most;
  for (const fs::path& folder : files_in(context.runs)) {
    if (!is_there(folder / "score.json")) continue;
    Json json = formats::parse_ordered_json(read_file(folder / "score.json"));
    if (text_at(json, "task") == "game24" && text_at(json, "method") == method &&
        (!most || count_at(json, "n") > count_at(*most, "n")))
      most = std::move(json);
  }
  return most;
}

Value prompted_value(const Context& context, const Cell& cell) {
  Value value;
  value.paper = cell.paper;
  std::optional<Json> result;
  or_note(value.note, [&] { result = prompted(context, cell.prompted); });
  if (!result) {
    if (value.note.empty()) value.note = "mgdm prompt has not been run";
    return value;
  }
  value = value_of(cell, *result);
  const std::string model = text_at(*result, "model");
  value.note = fmt::format("by {}, {} puzzles", model, value.n);
  value.commands = {
      fmt::format("mgdm prompt game24 --method {} --model {} ...", cell.prompted, model)};
  return value;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

// Measures cells, each evaluation once, and divides the time that is left among them.
class Filler {
 public:
  Filler(const Plan& plan, const Context& context, Failures failures, const TimeLeft& time)
      : context_(context), failures_(std::move(failures)), time_(time) {
    for (const Cell* const cell : evaluations(plan))
      if (const auto trained = find_trained(context, cell->model);
          trained && missing_file(cell->test, context).empty() &&
          !is_measured(context, *trained, *cell))
        ++left_;
  }

  // Evaluations that are still to do.
  std::size_t left() const { return left_; }

  Value fill(const Cell& cell) {
    if (!cell.prompted.empty()) return prompted_value(context_, cell);
    Value value;
    value.paper = cell.paper;
    if (cell.model.empty()) return value;
    const auto trained = find_trained(context_, cell.model);
    if (!trained || !is_measured(context_, *trained, cell)) {
      value.note = missing_file(cell.test, context_);
      if (!value.note.empty()) return value;
    }
    const auto failed = failures_.find(cell.model);
    const std::string failure = failed == failures_.end() ? "" : failed->second;
    if (!trained) {
      value.note = failure.empty() ? why_untrained(context_, cell.model) : failure;
      return value;
    }
    const auto [place, is_new] = results_.try_emplace(evaluation_key(cell));
    Result& result = place->second;
    if (is_new) {
      stop_if_interrupted();
      or_note(result.failure, [&] { result.json = measured(*trained, cell); });
    }
    if (!result.failure.empty()) {
      value.note = result.failure;
      return value;
    }
    value = value_of(cell, result.json);
    value.note = joined(joined(trained->note, failure), value.note);
    if (!trained->command.empty()) value.commands.insert(value.commands.begin(), trained->command);
    return value;
  }

 private:
  struct Result {
    Json json;
    std::string failure;
  };

  Json measured(const Trained& trained, const Cell& cell) {
    if (is_measured(context_, trained, cell)) return measure(context_, trained, cell);
    return measure(context_, trained, cell, time_.seconds() / static_cast<double>(left_--));
  }

  const Context& context_;
  const Failures failures_;
  const TimeLeft& time_;
  std::size_t left_ = 0;  // evaluations
  std::map<std::string, Result> results_;
};

// Takes the rows out that need models we ship and that are not here; these models.
std::set<std::string> leave_out_absent(Plan& plan, const Context& context) {
  std::set<std::string> absent;
  std::erase_if(plan.rows, [&](const PlanRow& row) {
    bool some = false;
    for (const Cell& cell : row.cells)
      if (!cell.model.empty() && !is_recipe(cell.model) && !find_trained(context, cell.model)) {
        absent.insert(cell.model);
        some = true;
      }
    return some;
  });
  return absent;
}

// Whether something in it is not as the paper has it.
bool says_anything(const Table& table) {
  return std::ranges::any_of(table.rows, [](const TableRow& row) {
    return std::ranges::any_of(row.values, [](const Value& value) { return !value.note.empty(); });
  });
}

// Whether it has a number above 0, or one that could not be measured.
bool occurs(const TableRow& row) {
  return std::ranges::any_of(row.values,
                             [](const Value& value) { return !value.ours || *value.ours > 0; });
}

std::vector<std::string> notes_on(const Context& context, std::size_t missing) {
  std::vector<std::string> notes;
  if (missing > 0 && context.workers == nullptr)
    notes.push_back(
        fmt::format("{} of the models are not trained to their end, and this program cannot train: "
                    "it was built without LibTorch (./mgdm reproduce builds and runs the one that "
                    "can).",
                    missing));
  if (context.limit > 0)
    notes.push_back(
        fmt::format("Shortened: at most {} puzzles per cell (--limit).", context.limit));
  return notes;
}

Table table_of(const Plan& named, const Context& context) {
  const TimeLeft time(context);
  Plan plan = with_rows(named);
  const std::set<std::string> absent = leave_out_absent(plan, context);
  Table table = plan.frame;
  Failures failures;
  if (context.workers != nullptr) failures = train_all(plan, context, time);
  for (std::string& note : notes_on(context, missing_trainings(plan, context).size()))
    table.notes.push_back(std::move(note));
  if (plan.make) {
    table.rows = plan.make(context, time);
    for (const auto& [recipe, failure] : failures)
      table.notes.push_back(fmt::format("{}: {}.", recipe_words(recipe), failure));
  }
  Filler filler(plan, context, std::move(failures), time);
  if (filler.left() > 1 && context.budget == 0 && !context.quiet)
    say("{} evaluations to do\n", filler.left());
  for (const PlanRow& row : plan.rows) {
    TableRow filled{row.label, {}};
    for (const Cell& cell : row.cells) filled.values.push_back(filler.fill(cell));
    if (!plan.only_what_occurs || occurs(filled)) table.rows.push_back(std::move(filled));
  }
  if (plan.condense) table.rows = plan.condense(table.rows);
  if (plan.rows_of_models && plan.rows.empty() && absent.empty())
    table.notes.emplace_back(
        "No models that come along are here: a checkout as the current folder has them, or "
        "MGDM_MODELS=FOLDER.");
  if (!absent.empty())
    table.notes.push_back(
        fmt::format("Left out, since these models are not here: {}.", joined_by(absent, ", ")));
  if (context.budget > 0 && says_anything(table))
    table.notes.push_back(fmt::format(
        "Shortened: this call was given {} in all (--budget); what calls before it trained "
        "and measured counts, too.",
        format_duration(context.budget)));
  return table;
}

}  // namespace

Table reproduce(const Plan& plan, const Context& context) {
  try {
    return table_of(plan, context);
  } catch (const Interrupted& interrupted) {  // what was trained and measured is kept
    throw Interrupted(interrupted.seen(), "", "the same command goes on from there");
  }
}

std::vector<std::string> write_table(const Table& table, const Context& context) {
  const fs::path folder = context.out / table.name;
  make_folder(folder);
  std::vector<std::string> written;
  const auto write = [&](const char* ending, const std::string& text) {
    written.push_back((folder / (table.name + ending)).string());
    write_file(written.back(), text);
  };
  write(".md", to_markdown(table));
  Json json = to_json(table);
  json["version"] = version();
  json["git_revision"] = git_revision();
  write(".json", formats::json_text(json, 2) + "\n");
  if (const std::string figure = to_figure(table); !figure.empty()) write(".svg", figure);
  return written;
}

}  // namespace mgdm::reproduction
