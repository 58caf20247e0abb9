#include "cli/solve_dimacs.h"

#include <fmt/format.h>

#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "formats/dimacs.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/formula.h"
#include "tasks/sat/verify.h"

namespace mgdm::cli {
namespace {

// The variables of the task that the model answers.
int variables_of(const inference::LoadedModel& model, const std::string& file) {
  if (const auto variables = model.task().abilities().variables) return *variables;
  throw Error(fmt::format("{} is a DIMACS formula", shown_path(file)),
              fmt::format("puzzles of the task {}, which this model answers", model.card().task),
              "a model that was trained on a sat task");
}

void check_fits(const formats::Cnf& cnf, const std::string& text, const std::string& file,
                const inference::LoadedModel& model) {
  const int variables = variables_of(model, file);
  if (cnf.variables != variables)
    throw Error(fmt::format("{}the formula has {} variables", at(file, 0), cnf.variables),
                fmt::format("{}, as in the task {} of this model", variables, model.card().task));
  std::vector<int> answer(static_cast<std::size_t>(variables));  // all have as many tokens
  std::iota(answer.begin(), answer.end(), 1);
  with_location(file, 0, [&] {
    model.rows().check_room(
        {model.task().normalize_input(text),
         tasks::sat::render_answer(answer, tasks::sat::Notation::of(variables))});
  });
}

// The fault of the model's answer; an unsatisfied clause is written in the integers of the file.
std::string explained(const inference::Solved& solved, const tasks::sat::Formula& formula) {
  using namespace tasks::sat;
  const tasks::Fault& fault = solved.check.faults.front();
  if (fault.category != "unsatisfied clause") return fault.words;
  const std::vector<int> literals = parse_answer(solved.text, Notation::of(formula.variables));
  return fmt::format("{}; {}", joined_by(literals, " "),
                     faults(formula, render_answer(literals)).front().words);
}

}  // namespace

int solve_dimacs(const inference::LoadedModel& model, const std::string& file,
                 const std::string& text, const SolveSettings& settings) {
  using namespace tasks::sat;
  const Formula formula = formats::read_dimacs(text, file);
  check_fits(formula, text, file, model);
  const inference::Solved solved =
      with_location(file, 0, [&] { return solve_shown(model, text, /*item=*/0, settings, "c "); });
  note_unfamiliar(solved, settings, "c ");
  // Verified once more against the clauses as they stand in the file.
  std::vector<int> literals;
  if (solved.check.right()) literals = parse_answer(solved.text, Notation::of(formula.variables));
  const bool satisfiable = solved.check.right() && Assignment(literals).satisfies(formula);
  if (settings.json) {
    fmt::print("{}\n", inference::solved_json(solved, model.task()));
  } else {
    if (!settings.quiet) {
      fmt::print("c {}, {}\n", satisfiable ? "verified" : "not solved", inference::effort(solved));
      if (!solved.check.faults.empty())
        fmt::print("c the model's answer: {}\n", printable(explained(solved, formula)));
      if (!satisfiable)
        fmt::print("c by exact search the formula is {}\n",
                   model.task().solve(solved.input) ? "satisfiable" : "unsatisfiable");
    }
    fmt::print("s {}\n", satisfiable ? "SATISFIABLE" : "UNKNOWN");
    if (satisfiable) fmt::print("v {} 0\n", joined_by(literals, " "));
  }
  return satisfiable ? kSatisfiable : kUnknown;
}

}  // namespace mgdm::cli
