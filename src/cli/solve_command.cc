#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/painter.h"
#include "cli/pick_model.h"
#include "cli/solve_dimacs.h"
#include "cli/solve_settings.h"
#include "data/examples_file.h"
#include "formats/dimacs.h"
#include "inference/models.h"
#include "inference/solve_stream.h"
#include "model_files/describe.h"
#include "tasks/sat/formula.h"
#include "tasks/score.h"

namespace mgdm::cli {
namespace {

// Says beside the answer what is wrong with it, what would be right, and whether it is the only
// one. Returns whether another try may be right.
bool explain(const inference::Solved& solved, const tasks::Task& task) {
  if (!solved.asked) {
    say("not solved: {}\n", printable(solved.check.faults.front().words));
    return false;
  }
  const tasks::Graded* const graded = task.abilities().graded;
  const bool one_of_many =
      solved.check.right() && graded != nullptr &&
      graded->guesses({solved.input, solved.text}) == tasks::Graded::kManySolutions;
  say("{}: {}, {}{}\n", task.name(), inference::verdict_of(solved), inference::effort(solved),
      one_of_many ? "; the puzzle has other solutions, too" : "");
  if (!solved.check.wrong()) return false;
  const std::optional<std::string> right = task.solve(solved.input);
  if (!right && task.can_solve()) {
    say("  no answer is right: the puzzle has {}\n", task.no_solution());
    return false;
  }
  for (std::size_t i = 0; i < solved.check.faults.size() && i < 3; ++i)
    say("  {}\n", printable(tasks::without_special_tokens(solved.check.faults[i].words)));
  if (right && right->find('\n') == std::string::npos)
    say("  right, by exact search: {}\n", *right);
  return true;
}

// Prints the answer, and what explain() says of it, whose result it returns.
bool print(const inference::Solved& solved, const tasks::Task& task,
           const SolveSettings& settings) {
  note_unfamiliar(solved, settings);
  if (settings.json || settings.csv) {
    fmt::print("{}\n", settings.json ? inference::solved_json(solved, task)
                                     : inference::solved_csv(solved, task));
    return false;
  }
  const std::string text = tasks::without_special_tokens(solved.text);
  // A person who has seen it painted needs no other drawing.
  const bool draw = ::isatty(STDOUT_FILENO) == 1 && !settings.quiet && !settings.show;
  fmt::print("{}\n", draw ? printable(task.drawn(text), "\n") : printable(text));
  return !settings.quiet && explain(solved, task);
}

// All of them, word by word and line by line. Those that are none go to on_bad.
void for_each_puzzle(const SolveSettings& settings, const inference::LoadedModel& model,
                     const OnBadLine& on_bad,
                     const std::function<void(inference::Prepared&& puzzle)>& use) {
  const auto give = [&](const std::string& place, std::size_t line, const std::string& puzzle) {
    auto prepared = unless_bad(on_bad, [&] {
      return place.empty() ? model.prepare(puzzle)
                           : with_location(place, line, [&] { return model.prepare(puzzle); });
    });
    if (prepared) use(*std::move(prepared));
  };
  const bool alone = settings.puzzles.size() == 1;
  for (std::size_t i = 0; i < settings.puzzles.size(); ++i)
    give(alone ? "" : fmt::format("puzzle {}", i + 1), 0, settings.puzzles[i]);
  if (settings.input.empty()) return;
  data::for_each_example(
      settings.input, model.task(),
      [&](data::LocatedExample&& located) {
        give(settings.input, located.line, located.example.input);
      },
      on_bad, data::keys_of(settings.keys));
}

// What became of the puzzles.
struct Tally {
  static constexpr std::size_t kMostComplaints = 5;  // that are printed one by one

  std::size_t verified = 0, wrong = 0, not_checked = 0, bad = 0;
  bool try_again = false;
  std::string last_expected = {};  // by a complaint

  std::size_t all() const { return verified + wrong + not_checked + bad; }

  // Counts the answer and prints it.
  void take(const inference::Solved& solved, const tasks::Task& task,
            const SolveSettings& settings) {
    try_again |= print(solved, task, settings);
    ++(solved.check.right() ? verified : solved.check.wrong() ? wrong : not_checked);
  }

  // Reports a puzzle that cannot be answered. It keeps its place among the answers.
  void complain(const Error& error, const SolveSettings& settings) {
    ++bad;
    fmt::print("{}\n", settings.json  ? inference::error_json(error.what())
                       : settings.csv ? inference::error_csv(error.what())
                                      : "");
    if (bad > kMostComplaints) return;
    // Errors in a row that expect the same say so only once.
    const bool again = bad > 1 && error.expected() == last_expected && error.hint().empty();
    say("mgdm: {}\n", printable(again ? error.seen() : error.what(), "\n"));
    last_expected = error.expected();
  }
};

Tally watch_all(const inference::LoadedModel& model, const SolveSettings& settings) {
  Tally outcome;
  std::uint32_t item = 0;
  for_each_puzzle(
      settings, model, [&](const Error& error) { outcome.complain(error, settings); },
      [&](inference::Prepared&& puzzle) {
        stop_if_interrupted();
        const inference::Solved solved = solve_shown(model, puzzle.input, item++, settings);
        outcome.take(solved, model.task(), settings);
      });
  return outcome;
}

// Solves as many puzzles at a time as fit into memory.
Tally solve_batches(const inference::LoadedModel& model, const SolveSettings& settings) {
  Tally outcome;
  // Until something is said; where all answers go to a file, that is a complaint or a note.
  const bool silent = (settings.json || settings.csv) && ::isatty(STDOUT_FILENO) == 0;
  std::optional<Progress> progress(std::in_place, "solving", /*total=*/0, settings.quiet);
  inference::SolveStream stream(model, settings.decode.over(model),
                                static_cast<std::size_t>(settings.batch),
                                [&](const inference::Solved& solved) {
                                  if (!silent || solved.unfamiliar) progress.reset();
                                  if (progress) progress->add(1);
                                  outcome.take(solved, model.task(), settings);
                                  flush_output();
                                });
  const auto on_bad = [&](const Error& error) {
    stream.finish();  // complaints come after the answers before them
    progress.reset();
    outcome.complain(error, settings);
  };
  try {
    for_each_puzzle(settings, model, on_bad,
                    [&](inference::Prepared&& puzzle) { stream.add(std::move(puzzle)); });
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    stream.finish();
    throw;
  }
  stream.finish();
  return outcome;
}

// In DIMACS.
struct DimacsText {
  std::string file, text;
};

// That is all there is to solve; as an argument, too.
std::optional<DimacsText> formula_in(const SolveSettings& settings) {
  if (settings.puzzles.size() == 1 && settings.input.empty() &&
      tasks::sat::is_dimacs(settings.puzzles[0]))
    return DimacsText{"puzzle", settings.puzzles[0]};
  if (settings.input.empty() || !data::is_dimacs(settings.input)) return std::nullopt;
  if (!settings.puzzles.empty())
    throw UsageError("puzzles beside a DIMACS formula", "one formula alone");
  return DimacsText{settings.input, read_input(settings.input)};
}

// Picks among the models at hand.
std::string model_for(const SolveSettings& settings, const std::optional<DimacsText>& formula) {
  const std::vector<DemoModel> models = diffusion_models();
  if (formula)
    return pick_model(models, formats::read_dimacs(formula->text, formula->file), formula->file);
  // The first puzzle that one takes decides; if none does, what is wrong with the very first.
  std::optional<Error> first;
  const OnBadLine remember = [&](const Error& error) {
    if (!first) first = error;
  };
  std::string found;
  const auto taken = [&](const std::string& puzzle) {
    return unless_bad(remember, [&] { return found = pick_model(models, puzzle); }).has_value();
  };
  if (!std::ranges::any_of(settings.puzzles, taken) &&
      (settings.input.empty() ||
       !data::any_puzzle(settings.input, taken, remember, data::keys_of(settings.keys))))
    throw *first;
  return found;
}

// After all of them.
void sum_up(const Tally& outcome, const inference::LoadedModel& model,
            const SolveSettings& settings) {
  if (outcome.bad > 0 && outcome.all() > 1) {
    const std::string why =
        settings.model.empty()
            ? fmt::format(": all are taken for {}, the task of the first that a model takes",
                          model.card().task)
            : "";
    say("{} of {} puzzles could not be read{}\n", outcome.bad, outcome.all(), why);
  }
  if (outcome.all() > 1)
    say("{} puzzles: {} verified, {} wrong{}{}\n", outcome.all(), outcome.verified, outcome.wrong,
        outcome.not_checked > 0 ? fmt::format(", {} not checked", outcome.not_checked) : "",
        outcome.bad > 0 ? fmt::format(", {} not read", outcome.bad) : "");
  if (outcome.try_again && settings.decode.over(model).tries == 1 && model.has_forms())
    say("  try: --tries 10, up to ten tries, each of another form of the puzzle, until one is "
        "right\n");
}

// `mgdm solve 4 5 6 10 24` is one puzzle, not five.
std::vector<std::string> joined_numbers(const std::vector<std::string>& words) {
  const bool numbers = std::ranges::all_of(words, [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos &&
           word.size() < 9;
  });
  if (!numbers || words.size() < 2) return words;
  return {joined_by(words, ",")};
}

// Whether somebody sends puzzles by a pipe or from a file.
bool input_is_sent() {
  struct stat status {};
  return ::fstat(STDIN_FILENO, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

int run_solve(const SolveSettings& typed) {
  SolveSettings settings = typed;
  settings.puzzles = joined_numbers(typed.puzzles);
  const bool blank = settings.puzzles.size() == 1 && trim(settings.puzzles[0]).empty();
  if (blank || (settings.puzzles.empty() && settings.input.empty())) {
    if (blank || !input_is_sent())
      throw UsageError("no puzzle to solve",
                       "a puzzle in quotes, --input FILE, or puzzles on standard input");
    settings.input = "-";
  }
  if (settings.json && settings.csv) throw UsageError("--json and --csv", "one of them");
  // Passes would stand between what other programs read.
  if (settings.show && (settings.json || settings.csv || settings.quiet))
    throw UsageError(fmt::format("--show and --{}", settings.json  ? "json"
                                                    : settings.csv ? "csv"
                                                                   : "quiet"),
                     "one of them");
  const auto load = [&](const std::string& folder) {
    if (!settings.quiet) say("{}", printable(model_files::unchecked_note(folder), "\n"));
    auto model = inference::LoadedModel::load(folder, settings.compute);
    if (!settings.verifier.empty()) model.use_verifier(settings.verifier);
    return model;
  };
  if (!settings.input.empty() && settings.input != "-" && !is_there(settings.input))
    read_input(settings.input);  // says why it cannot be read
  // Before anything is read: another program may have to do it.
  std::optional<inference::LoadedModel> named;
  if (!settings.model.empty()) named = load(inference::find_model(settings.model));
  const std::optional<DimacsText> formula = formula_in(settings);
  if (formula && settings.csv)
    throw UsageError("--csv with a DIMACS formula", "--json, or what SAT solvers print");
  const inference::LoadedModel model =
      named ? *std::move(named) : load(model_for(settings, formula));
  if (model.task().abilities().any_text) settings.puzzles = typed.puzzles;  // never joined
  if (formula) return solve_dimacs(model, formula->file, formula->text, settings);
  model.resolved(settings.decode.over(model));  // what is wrong with flags comes first
  if (settings.csv) fmt::print("{}\n", inference::kSolvedCsvHeader);
  if (settings.show && !settings.quiet) say("{}", colour_legend());
  const Tally outcome = (settings.show ? watch_all : solve_batches)(model, settings);
  if (outcome.bad > Tally::kMostComplaints)
    say("mgdm: and {} more that cannot be read\n", outcome.bad - Tally::kMostComplaints);
  if (!settings.quiet) sum_up(outcome, model, settings);
  return outcome.wrong + outcome.bad == 0 ? 0 : 1;
}

}  // namespace

Command solve_command() {
  Command command = make_command<SolveSettings>(
      "solve", "Let a model answer puzzles, and watch it think",
      "  mgdm solve 4,5,6,10,24\n"
      "  mgdm solve '6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3'\n"
      "  mgdm solve --input puzzles.txt --show\n"
      "  mgdm generate sudoku --count 20 | mgdm solve --json\n"
      "  mgdm solve --input puzzles.txt --csv > answers.csv\n"
      "  mgdm solve --model runs/sudoku/checkpoint-9000 --input puzzles.txt --tries 10\n"
      "  mgdm solve --input formula.cnf --tries 20\n",
      {"puzzles"}, {}, run_solve);
  command.inherited = decoding_keys();
  command.more =
      "Standard output has the answers, wrong ones too. Standard error says whether they are "
      "right; with --json and --csv the line of an answer says so. On a terminal --show paints "
      "green what the model is sure of, yellow what it is not sure of, red what it guesses, and "
      "underlines what it changed.\n"
      "Exit code: 0 when all answers are verified; 1 when one is not, or something cannot be read; "
      "2 when the command line is wrong. For a DIMACS formula: 10 when it is satisfied, 0 when "
      "that is unknown.\n"
      "A puzzle that cannot be read is reported and counted, and the next one is taken. Without "
      "--model the first puzzle that a model takes decides which one answers.\n"
      "The shipped models for formulas were trained on 5, 7 and 9 variables with 41, 45 and 51 "
      "clauses of three; they solve few formulas of other sizes.\n";
  return command;
}

}  // namespace mgdm::cli
