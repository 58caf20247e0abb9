#include "cli/solve_dimacs.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "base/text.h"
#include "formats/dimacs.h"
#include "tasks/all_tasks.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/formula.h"
#include "tasks/sat/solve.h"
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

// Error unless the model can read the formula.
void check_fits(const std::string& text, const std::string& file,
                const inference::LoadedModel& model) {
  attempt([&] { return model.prepare(text); },
          [&](const Error& error) -> inference::Prepared {
            throw Error(at(file, 0) + error.seen(), error.expected(),
                        "--exact, which searches without a model");
          });
}

// The literals of an answer that name variables of the formula; the others are padding.
std::vector<int> own_literals(const std::string& answer, const tasks::sat::Formula& formula,
                              int variables) {
  std::vector<int> literals = tasks::sat::parse_answer(answer, tasks::sat::Notation::of(variables));
  std::erase_if(literals, [&](int literal) { return std::abs(literal) > formula.variables; });
  return literals;
}

// The fault of the model's answer; an unsatisfied clause is written in the integers of the file.
std::string explained(const inference::Solved& solved, const tasks::sat::Formula& formula,
                      int variables) {
  const tasks::Fault& fault = solved.check.faults.front();
  if (fault.category != "unsatisfied clause") return fault.words;
  const std::vector<int> literals = own_literals(solved.text, formula, variables);
  return fmt::format(
      "{}; {}", joined_by(literals, " "),
      tasks::sat::faults(formula, tasks::sat::render_answer(literals)).front().words);
}

void print_values(std::vector<int> literals) {
  literals.push_back(0);
  fmt::print("v {}\n", joined_by(literals, " "));
}

}  // namespace

int solve_dimacs(const inference::LoadedModel& model, const std::string& file,
                 const std::string& text, const SolveSettings& settings) {
  using namespace tasks::sat;
  const Formula formula = formats::read_dimacs(text, file);
  const int variables = variables_of(model, file);
  check_fits(text, file, model);
  const inference::Solved solved =
      with_location(file, 0, [&] { return solve_shown(model, text, /*item=*/0, settings, "c "); });
  note_unfamiliar(solved, settings, "c ");
  // Verified once more against the clauses as they stand in the file.
  std::vector<int> literals;
  if (solved.check.right()) literals = own_literals(solved.text, formula, variables);
  const bool satisfiable = solved.check.right() && Assignment(literals).satisfies(formula);
  if (settings.json) {
    inference::Solved own = solved;
    if (satisfiable) own.text = render_answer(literals, Notation::of(variables));
    fmt::print("{}\n", inference::solved_json(own, model.task()));
  } else {
    if (!settings.quiet) {
      fmt::print("c {}, {}\n", satisfiable ? "verified" : "not solved", inference::effort(solved));
      if (!solved.check.faults.empty())
        fmt::print("c the model's answer: {}\n", printable(explained(solved, formula, variables)));
      if (!satisfiable)
        fmt::print("c by exact search the formula is {}\n",
                   model.task().solve(solved.input) ? "satisfiable" : "unsatisfiable");
    }
    fmt::print("s {}\n", satisfiable ? "SATISFIABLE" : "UNKNOWN");
    if (satisfiable) print_values(literals);
  }
  return satisfiable ? kSatisfiable : kUnknown;
}

int search_dimacs(const std::string& file, const std::string& text, const SolveSettings& settings) {
  const tasks::sat::Formula formula = formats::read_dimacs(text, file);
  const tasks::sat::Model model = tasks::sat::solve(formula);
  if (model && !tasks::sat::Assignment(*model).satisfies(formula))
    throw Error(at(file, 0) + "the search found an answer that is none");
  if (settings.json) {
    inference::Solved solved;
    solved.input = formats::write_dimacs(formula);
    solved.check.result = model ? tasks::Check::Result::kRight : tasks::Check::Result::kWrong;
    if (model) solved.text = joined_by(*model, " ");
    fmt::print("{}\n", inference::solved_json(solved, *tasks::make_task("sat")));
  } else {
    if (!settings.quiet) fmt::print("c by exact search\n");
    fmt::print("s {}SATISFIABLE\n", model ? "" : "UN");
    if (model) print_values(*model);
  }
  return model ? kSatisfiable : kUnsatisfiable;
}

}  // namespace mgdm::cli
