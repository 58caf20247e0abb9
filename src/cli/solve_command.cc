#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
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
#include "cli/complaints.h"
#include "cli/explain_format.h"
#include "cli/painter.h"
#include "cli/pick_model.h"
#include "cli/solve_dimacs.h"
#include "cli/solve_settings.h"
#include "data/examples_file.h"
#include "formats/dimacs.h"
#include "formats/keys.h"
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

// The model that answers a puzzle: the one that --model names, or the one that fits it, loaded
// once.
class Models {
 public:
  explicit Models(const SolveSettings& settings) : settings_(settings) {
    if (!settings.model.empty()) named_ = &load(inference::find_model(settings.model));
  }

  const inference::LoadedModel& of(const std::string& puzzle) {
    return named_ ? *named_ : load(picker().pick(puzzle).folder);
  }
  const inference::LoadedModel& of(const formats::Cnf& formula, const std::string& file) {
    return named_ ? *named_ : load(pick_model(diffusion_models(), formula, file));
  }
  const inference::LoadedModel* named() const { return named_; }

 private:
  ModelPicker& picker() {
    if (!picker_) picker_.emplace(diffusion_models());
    return *picker_;
  }

  const inference::LoadedModel& load(const std::string& folder) {
    if (const auto found = loaded_.find(folder); found != loaded_.end()) return *found->second;
    if (!settings_.quiet) say("{}", printable(model_files::unchecked_note(folder), "\n"));
    auto model = std::make_unique<inference::LoadedModel>(
        inference::LoadedModel::load(folder, settings_.compute));
    if (!settings_.verifier.empty()) model->use_verifier(settings_.verifier);
    return *loaded_.emplace(folder, std::move(model)).first->second;
  }

  const SolveSettings& settings_;
  std::map<std::string, std::unique_ptr<inference::LoadedModel>> loaded_;
  const inference::LoadedModel* named_ = nullptr;
  std::optional<ModelPicker> picker_;
};

using UsePrepared =
    std::function<void(const inference::LoadedModel& model, inference::Prepared&& puzzle)>;

// Prepares every puzzle, those of the command line first, each for the model that answers it. What
// is no puzzle goes to on_bad.
void for_each_puzzle(const SolveSettings& settings, Models& models, const OnBadLine& on_bad,
                     const UsePrepared& use) {
  const auto give = [&](const std::string& place, std::size_t line, const std::string& puzzle) {
    using Ready = std::pair<const inference::LoadedModel*, inference::Prepared>;
    auto ready = unless_bad(on_bad, [&] {
      const auto prepare = [&] {
        const inference::LoadedModel& model = models.of(puzzle);
        model.resolved(settings.decode.over(model));  // what is wrong with flags comes first
        return Ready(&model, model.prepare(puzzle));
      };
      return place.empty() ? prepare() : with_location(place, line, prepare);
    });
    if (ready) use(*ready->first, std::move(ready->second));
  };
  const bool alone = settings.puzzles.size() == 1;
  for (std::size_t i = 0; i < settings.puzzles.size(); ++i)
    give(alone ? "" : fmt::format("puzzle {}", i + 1), 0, settings.puzzles[i]);
  if (settings.input.empty()) return;
  formats::Rules rules{formats::Rules::Lines::kAny, formats::keys_of(settings.keys)};
  if (models.named()) rules = data::rules_for(models.named()->task(), rules.keys);
  data::for_each_puzzle(
      settings.input, rules,
      [&](data::FoundPuzzle&& found) {
        give(std::string(found.file), found.line, found.puzzle.puzzle);
      },
      on_bad);
}

// What became of the puzzles.
struct Tally {
  std::size_t verified = 0, wrong = 0, not_checked = 0;
  bool try_again = false;  // with --tries, an answer may be right
  Complaints bad = {};

  std::size_t all() const { return verified + wrong + not_checked + bad.count(); }
  int exit_code() const { return wrong + bad.count() == 0 ? 0 : 1; }

  // Counts the answer and prints it.
  void take(const inference::Solved& solved, const inference::LoadedModel& model,
            const SolveSettings& settings) {
    const bool may_be_right = print(solved, model.task(), settings);
    try_again |= may_be_right && settings.decode.over(model).tries == 1 && model.has_forms();
    ++(solved.check.right() ? verified : solved.check.wrong() ? wrong : not_checked);
  }

  // Reports a puzzle that cannot be answered. It keeps its place among the answers.
  void complain(const Error& error, const SolveSettings& settings) {
    fmt::print("{}\n", settings.json  ? inference::error_json(error.what())
                       : settings.csv ? inference::error_csv(error.what())
                                      : "");
    bad.add(error);
  }
};

Tally watch_all(Models& models, const SolveSettings& settings) {
  Tally outcome;
  std::uint32_t item = 0;
  for_each_puzzle(
      settings, models, [&](const Error& error) { outcome.complain(error, settings); },
      [&](const inference::LoadedModel& model, inference::Prepared&& puzzle) {
        stop_if_interrupted();
        const inference::Solved solved = solve_shown(model, puzzle.input, item++, settings);
        outcome.take(solved, model, settings);
      });
  return outcome;
}

// Solves as many puzzles at a time as fit into memory, one model after the other where the file has
// puzzles of several tasks.
Tally solve_batches(Models& models, const SolveSettings& settings) {
  Tally outcome;
  // Until something is said; where all answers go to a file, that is a complaint or a note.
  const bool silent = (settings.json || settings.csv) && ::isatty(STDOUT_FILENO) == 0;
  std::optional<Progress> progress(std::in_place, "solving", /*total=*/0, settings.quiet);
  std::map<const inference::LoadedModel*, std::unique_ptr<inference::SolveStream>> streams;
  inference::SolveStream* stream = nullptr;  // the only one that has puzzles under way
  const auto finish = [&] {
    if (stream) stream->finish();
  };
  const auto stream_of = [&](const inference::LoadedModel& model) {
    std::unique_ptr<inference::SolveStream>& found = streams[&model];
    if (!found)
      found = std::make_unique<inference::SolveStream>(model, settings.decode.over(model),
                                                       static_cast<std::size_t>(settings.batch),
                                                       [&](const inference::Solved& solved) {
                                                         if (!silent || solved.unfamiliar)
                                                           progress.reset();
                                                         if (progress) progress->add(1);
                                                         outcome.take(solved, model, settings);
                                                         flush_output();
                                                       });
    return found.get();
  };
  const auto on_bad = [&](const Error& error) {
    finish();  // complaints come after the answers before them
    progress.reset();
    outcome.complain(error, settings);
  };
  try {
    for_each_puzzle(settings, models, on_bad,
                    [&](const inference::LoadedModel& model, inference::Prepared&& puzzle) {
                      inference::SolveStream* const next = stream_of(model);
                      if (next != stream) finish();
                      stream = next;
                      stream->add(std::move(puzzle));
                    });
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    finish();
    throw;
  }
  finish();
  return outcome;
}

// Says how many puzzles came out in which way.
void sum_up(const Tally& outcome) {
  const std::size_t bad = outcome.bad.count();
  if (bad > 0 && outcome.all() > 1) say("{} of {} puzzles could not be read\n", bad, outcome.all());
  if (outcome.all() > 1)
    say("{} puzzles: {} verified, {} wrong{}{}\n", outcome.all(), outcome.verified, outcome.wrong,
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
  const auto& model = models.of(formats::read_dimacs(formula.text, formula.file), formula.file);
  return solve_dimacs(model, formula.file, formula.text, settings);
}

// A folder with nothing but formulas is answered as SAT solvers would, one file after the other.
bool is_folder_of_formulas(const std::string& path) {
  std::error_code none;
  if (path.empty() || !std::filesystem::is_directory(path, none)) return false;
  const std::vector<std::string> files = data::files_of(path);
  return !files.empty() && std::ranges::all_of(files, [](const std::string& file) {
    return data::file_kind(file) == data::FileKind::kDimacs;
  });
}

int solve_folder(Models& models, const SolveSettings& settings) {
  Tally outcome;
  for (const std::string& file : data::files_of(settings.input)) {
    if (!settings.json) fmt::print("c {}\n", printable(file));
    const auto code = unless_bad([&](const Error& error) { outcome.complain(error, settings); },
                                 [&] {
                                   return solve_formula(models, {file, read_input(file)}, settings);
                                 });
    if (code) ++(*code == kSatisfiable ? outcome.verified : outcome.wrong);
  }
  outcome.bad.finish();
  if (!settings.quiet) sum_up(outcome);
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
  if (!settings.input.empty() && settings.input != "-" && !is_there(settings.input))
    read_input(settings.input);  // says why it cannot be read
  if (settings.explain_format) return explain_solve(settings);
  // Before anything is read: another program may have to do it.
  Models models(settings);
  if (is_folder_of_formulas(settings.input)) return solve_folder(models, settings);
  if (const std::optional<DimacsText> formula = formula_in(settings))
    return solve_formula(models, *formula, settings);
  const bool any_text = models.named() && models.named()->task().abilities().any_text;
  if (any_text) settings.puzzles = typed.puzzles;  // never joined
  if (models.named())                              // what is wrong with flags comes first
    models.named()->resolved(settings.decode.over(*models.named()));
  if (settings.csv) fmt::print("{}\n", inference::kSolvedCsvHeader);
  if (settings.show && !settings.quiet) say("{}", colour_legend());
  const Tally outcome = (settings.show ? watch_all : solve_batches)(models, settings);
  outcome.bad.finish();
  if (!settings.quiet) sum_up(outcome);
  return outcome.exit_code();
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
      "--model each puzzle is answered by the model that fits it, also where a file has puzzles of "
      "several tasks.\n"
      "The shipped models for formulas were trained on 5, 7 and 9 variables with 41, 45 and 51 "
      "clauses of three; they solve few formulas of other sizes.\n";
  return command;
}

}  // namespace mgdm::cli
