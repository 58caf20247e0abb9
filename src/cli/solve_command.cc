#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/solve_dimacs.h"
#include "cli/solve_settings.h"
#include "data/examples_file.h"
#include "formats/dimacs.h"
#include "inference/models.h"

namespace mgdm::cli {
namespace {

std::vector<std::string> puzzles_of(const SolveSettings& settings, const tasks::Task& task) {
  std::vector<std::string> puzzles = settings.puzzles;
  if (settings.input.empty()) return puzzles;
  for (auto& located : data::read_examples(settings.input, task))
    puzzles.push_back(std::move(located.example.input));
  return puzzles;
}

void print(const inference::Solved& solved, const SolveSettings& settings) {
  if (settings.json) {
    fmt::print("{}\n", inference::solved_json(solved));
    return;
  }
  fmt::print("{}\n", printable(solved.text));
  if (settings.quiet) return;
  fmt::print(stderr, "{}, {} passes\n", solved.verified ? "verified" : "wrong", solved.passes);
  for (std::size_t i = 0; i < solved.faults.size() && i < 3; ++i)
    fmt::print(stderr, "  {}\n", printable(solved.faults[i].words));
}

int run_solve(const SolveSettings& settings) {
  const std::string text = settings.input.empty() ? "" : read_file(settings.input);
  if (settings.puzzles.empty() && trim(text).empty())
    throw UsageError("no puzzle to solve", "puzzles as words, or --input FILE");
  const auto reasoner = inference::Reasoner::load(
      inference::find_model(settings.model),
      {.device = settings.device, .threads = static_cast<int>(settings.threads)});
  if (formats::looks_like_dimacs(text)) {
    if (!settings.puzzles.empty())
      throw UsageError("puzzles beside a DIMACS formula", "one formula alone");
    return solve_dimacs(reasoner, settings.input, text, settings);
  }
  const std::vector<std::string> puzzles = puzzles_of(settings, reasoner.task());
  bool all_verified = true;
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    stop_if_interrupted();
    const inference::Solved solved =
        solve_shown(reasoner, puzzles[i], static_cast<std::uint32_t>(i), settings);
    print(solved, settings);
    all_verified = all_verified && solved.verified;
  }
  return all_verified ? 0 : 1;
}

}  // namespace

Command solve_command() {
  Command command = make_command<SolveSettings>(
      "solve", "Let a model answer puzzles, and watch it think",
      "  mgdm solve --model runs/planning/checkpoint-4883 "
      "'6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3'\n"
      "  mgdm solve --model runs/sudoku/checkpoint-9000 --input puzzles.txt --show\n"
      "  mgdm solve --model runs/cd4/checkpoint-20000 '4,5,6,10,24' --json\n"
      "  mgdm solve --model runs/sat-7/checkpoint-29000 --input formula.cnf --tries 20\n",
      {"puzzles"}, {"model"}, run_solve);
  command.inherited = decoding_keys();
  return command;
}

}  // namespace mgdm::cli
