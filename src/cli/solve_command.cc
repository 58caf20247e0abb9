#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/explain_format.h"
#include "cli/painter.h"
#include "cli/solve_dimacs.h"
#include "cli/solve_prompt.h"
#include "cli/solve_puzzles.h"
#include "cli/solve_settings.h"
#include "data/arrays_folder.h"
#include "data/examples_file.h"
#include "formats/dimacs.h"
#include "inference/solve.h"
#include "tasks/countdown/problem.h"
#include "tasks/sat/formula.h"

namespace mgdm::cli {
namespace {

// Says how many puzzles came out in which way.
void sum_up(const Tally& outcome, bool search) {
  const std::size_t bad = outcome.bad.count();
  if (bad > 0 && outcome.all() > 1) say("{} of {} puzzles could not be read\n", bad, outcome.all());
  if (outcome.all() > 1)
    say("{} puzzles: {} {}, {} {}{}{}\n", outcome.all(), outcome.verified,
        search ? "solved" : "verified", outcome.wrong, search ? "without a solution" : "wrong",
        outcome.not_checked > 0 ? fmt::format(", {} not checked", outcome.not_checked) : "",
        bad > 0 ? fmt::format(", {} not read", bad) : "");
  if (outcome.try_again)
    say("  try: --tries 10, up to ten tries, each of another form of the puzzle, until one is "
        "right\n");
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
  std::error_code none;
  if (settings.input.empty() || std::filesystem::is_directory(settings.input, none) ||
      data::file_kind(settings.input) != data::FileKind::kDimacs)
    return std::nullopt;
  if (!settings.puzzles.empty())
    throw UsageError("puzzles beside a DIMACS formula", "one formula alone");
  return DimacsText{settings.input, read_input(settings.input)};
}

int solve_formula(Models& models, const DimacsText& formula, const SolveSettings& settings) {
  if (settings.csv)
    throw UsageError("--csv with a DIMACS formula", "--json, or what SAT solvers print");
  if (settings.exact && settings.model.empty())
    return search_dimacs(formula.file, formula.text, settings);
  const auto& model =
      models.of(formats::read_dimacs(formula.text, formula.file), formula.file, settings);
  return solve_dimacs(model, formula.file, formula.text, settings);
}

// A folder with nothing but formulas is answered as SAT solvers would, one file after the other.
bool is_folder_of_formulas(const std::string& path) {
  std::error_code none;
  if (path.empty() || !std::filesystem::is_directory(path, none) || data::is_arrays_folder(path))
    return false;
  const std::vector<std::string> files = data::files_of(path);
  return !files.empty() && std::ranges::all_of(files, [](const std::string& file) {
    return data::file_kind(file) == data::FileKind::kDimacs;
  });
}

int solve_folder(Models& models, const SolveSettings& settings) {
  Tally outcome;
  for (const std::string& file : data::files_of(settings.input)) {
    if (!settings.json) fmt::print("c {}\n", printable(file));
    const auto bad = [&](const Error& error) {
      fmt::print("{}\n", settings.json ? inference::error_json(error.what()) : "s UNKNOWN");
      outcome.bad.add(error);
    };
    const auto code = unless_bad(bad, [&] {
      return solve_formula(models, {file, read_input(file)}, settings);
    });
    if (code) ++(*code == kSatisfiable ? outcome.verified : outcome.wrong);
  }
  outcome.bad.finish();
  if (!settings.quiet) sum_up(outcome, settings.exact);
  return outcome.exit_code();
}

// Says what is recognised, and solves nothing.
int explain_solve(const SolveSettings& settings) {
  if (settings.input.empty()) throw UsageError("--explain-format without a file", "--input FILE");
  explain_format(settings.input, formats::keys_of(settings.keys), nullptr);
  return 0;
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

// `mgdm solve 4 7 8 8 --target 24` is 4,7,8,8,24.
void add_target(SolveSettings& settings) {
  if (settings.target == 0) return;
  if (!settings.input.empty() || settings.puzzles.empty())
    throw UsageError("--target without typed numbers", "--target with numbers to reach it from");
  for (std::string& puzzle : settings.puzzles)
    puzzle = fmt::format("{},{}", tasks::countdown::with_commas(puzzle), settings.target);
}

// Settles what the flags for the form of answers say together.
void settle_format(SolveSettings& settings) {
  if (settings.format == "json") settings.json = true;
  if (settings.format == "csv") settings.csv = true;
  if (settings.json && settings.csv) throw UsageError("--json and --csv", "one of them");
  // Passes would stand between what other programs read.
  if (settings.show && (settings.json || settings.csv || settings.quiet))
    throw UsageError(fmt::format("--show and --{}", settings.json  ? "json"
                                                    : settings.csv ? "csv"
                                                                   : "quiet"),
                     "one of them");
  // A person who has seen an answer painted needs no other drawing.
  if (settings.format == "auto" && ::isatty(STDOUT_FILENO) == 1 && !settings.quiet &&
      !settings.show)
    settings.format = "grid";
}

// Answers the puzzles of the settings; models that it loads stay in `models`.
int solve_typed(const SolveSettings& typed, Models& models) {
  SolveSettings settings = typed;
  settings.puzzles = joined_numbers(typed.puzzles);
  settle_format(settings);
  add_target(settings);
  settings.exact |= settings.rules != tasks::Rules{};
  const bool search = settings.exact && settings.model.empty();
  if (search && settings.show) throw UsageError("--show with --exact", "--show with a model");
  // Before anything is read: another program may have to load it.
  const inference::LoadedModel* const named = models.named(settings);
  if (is_folder_of_formulas(settings.input)) return solve_folder(models, settings);
  if (const std::optional<DimacsText> formula = formula_in(settings))
    return solve_formula(models, *formula, settings);
  if (named != nullptr) {
    if (named->task().abilities().any_text) settings.puzzles = typed.puzzles;  // never joined
    named->resolved(settings.decode.over(*named));  // what is wrong with flags comes first
  }
  if (settings.csv) fmt::print("{}\n", inference::kSolvedCsvHeader);
  if (settings.show && !settings.quiet) say("{}", colour_legend(settings.color));
  const Tally outcome = search ? answer_by_search(settings) : answer_by_models(models, settings);
  outcome.bad.finish();
  if (!settings.quiet) sum_up(outcome, search);
  return outcome.exit_code();
}

int run_solve(const SolveSettings& typed) {
  SolveSettings settings = typed;
  Models models;
  const bool blank = settings.puzzles.size() == 1 && trim(settings.puzzles[0]).empty();
  if (blank || (settings.puzzles.empty() && settings.input.empty())) {
    if (!blank && ::isatty(STDIN_FILENO) == 1)
      return solve_at_prompt(settings,
                             [&](const SolveSettings& asked) { solve_typed(asked, models); });
    if (blank || !input_is_sent())
      throw UsageError("no puzzle to solve",
                       "a puzzle in quotes, --input FILE, or puzzles on standard input");
    settings.input = "-";
  }
  if (!settings.input.empty() && settings.input != "-" && !is_there(settings.input))
    read_input(settings.input);  // says why it cannot be read
  if (settings.explain_format) return explain_solve(settings);
  return solve_typed(settings, models);
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
      "  mgdm solve --input formula.cnf --tries 20\n"
      "  mgdm solve 3 3 8 8 --target 24 --fractions\n"
      "  mgdm solve --input puzzles.txt --exact --json\n",
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
      "--model each puzzle is answered by the model that fits it, also where a file has puzzles of "
      "several tasks.\n"
      "The shipped models take formulas of up to 9 variables and 51 clauses of at most three "
      "literals, and graphs of up to 10 edges. --exact takes any size.\n"
      "On a terminal, mgdm solve without a puzzle asks for puzzles.\n";
  return command;
}

}  // namespace mgdm::cli
