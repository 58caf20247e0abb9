#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/pick_model.h"
#include "cli/solve_dimacs.h"
#include "cli/solve_settings.h"
#include "data/examples_file.h"
#include "inference/models.h"
#include "inference/solve_stream.h"

namespace mgdm::cli {
namespace {

void print(const inference::Solved& solved, const SolveSettings& settings) {
  if (solved.unfamiliar && !settings.quiet)
    fmt::print(stderr, "note: {} that models are trained on\n", printable(*solved.unfamiliar));
  if (settings.json) {
    fmt::print("{}\n", inference::solved_json(solved));
    return;
  }
  fmt::print("{}\n", printable(solved.text));
  if (settings.quiet) return;
  if (!solved.asked) {
    fmt::print(stderr, "not solved: {}\n", printable(solved.faults.front().words));
    return;
  }
  fmt::print(stderr, "{}, {}\n", solved.verified ? "verified" : "wrong", inference::effort(solved));
  for (std::size_t i = 0; i < solved.faults.size() && i < 3; ++i)
    fmt::print(stderr, "  {}\n", printable(solved.faults[i].words));
}

// All of them, word by word and line by line. An Error of a line comes after the answers before it.
template <class Use>
void for_each_puzzle(const SolveSettings& settings, const tasks::Task& task, Use&& use) {
  for (const std::string& puzzle : settings.puzzles) use(puzzle);
  if (settings.input.empty()) return;
  data::for_each_example(settings.input, task,
                         [&](data::LocatedExample&& located) { use(located.example.input); });
}

// Whether all answers are right.
bool watch_all(const inference::Reasoner& reasoner, const SolveSettings& settings) {
  bool all_verified = true;
  std::uint32_t item = 0;
  for_each_puzzle(settings, reasoner.task(), [&](const std::string& puzzle) {
    stop_if_interrupted();
    const inference::Solved solved = solve_shown(reasoner, puzzle, item++, settings);
    print(solved, settings);
    all_verified = all_verified && solved.verified;
  });
  return all_verified;
}

// The same, as many at a time as fit.
bool solve_all(const inference::Reasoner& reasoner, const SolveSettings& settings) {
  bool all_verified = true;
  inference::SolveStream stream(reasoner, settings.decode.over(reasoner),
                                static_cast<std::size_t>(settings.batch),
                                [&](const inference::Solved& solved) {
                                  print(solved, settings);
                                  std::fflush(stdout);
                                  all_verified = all_verified && solved.verified;
                                });
  try {
    for_each_puzzle(settings, reasoner.task(),
                    [&](const std::string& puzzle) { stream.add(puzzle); });
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    stream.finish();
    throw;
  }
  stream.finish();
  return all_verified;
}

std::string model_of(const SolveSettings& settings) {
  if (!settings.model.empty()) return inference::find_model(settings.model);
  return pick_model(settings.puzzles.empty() ? data::first_puzzle(settings.input)
                                             : settings.puzzles.front());
}

int run_solve(const SolveSettings& settings) {
  if (settings.puzzles.empty() && settings.input.empty())
    throw UsageError("no puzzle to solve", "puzzles as words, or --input FILE");
  const bool dimacs = !settings.input.empty() && data::is_dimacs(settings.input);
  if (dimacs && !settings.puzzles.empty())
    throw UsageError("puzzles beside a DIMACS formula", "one formula alone");
  const auto reasoner =
      inference::Reasoner::load(model_of(settings), {.device = settings.device,
                                                     .threads = static_cast<int>(settings.threads),
                                                     .arithmetic = settings.arithmetic});
  if (dimacs) return solve_dimacs(reasoner, settings.input, read_file(settings.input), settings);
  return (settings.show ? watch_all : solve_all)(reasoner, settings) ? 0 : 1;
}

}  // namespace

Command solve_command() {
  Command command = make_command<SolveSettings>(
      "solve", "Let a model answer puzzles, and watch it think",
      "  mgdm solve 4,5,6,10,24\n"
      "  mgdm solve --model runs/planning/checkpoint-4883 "
      "'6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3'\n"
      "  mgdm solve --model runs/sudoku/checkpoint-9000 --input puzzles.txt --show\n"
      "  mgdm generate sudoku --count 20 | mgdm solve --input - --json\n"
      "  mgdm solve --model runs/sat-7/checkpoint-29000 --input formula.cnf --tries 20\n",
      {"puzzles"}, {}, run_solve);
  command.inherited = decoding_keys();
  return command;
}

}  // namespace mgdm::cli
