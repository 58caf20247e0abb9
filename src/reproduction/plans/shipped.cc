// The models that come along, on their test sets, beside the paper's models of 6M parameters. A
// model that is not there yet has its rows here already: they are left out until it is.
#include <fmt/format.h>

#include "reproduction/plan.h"

namespace mgdm::reproduction {
namespace {

using From = TestSet::From;
using Paper = std::optional<double>;

// By both metrics, in a single try; by ten, of which the first verified one counts, where `tries`.
PlanRow shipped_row(const std::string& label, const std::string& model, const TestSet& test,
                    Paper paper = {}, bool tries = false) {
  const Cell cell{.model = model, .test = test};
  std::vector<Cell> cells(5, cell);
  cells[0].paper = paper;
  cells[1].quantity = Quantity::kAccuracy;
  cells[2].quantity = Quantity::kBestOfTries;
  cells[2].decoding = {"tries=10"};
  if (!tries) cells[2] = {};
  cells[3].quantity = Quantity::kPasses;
  cells[4].quantity = Quantity::kParameters;
  return {label, cells};
}

// The puzzles of one kind among those of a file: "accuracy_by_guesses", "1-4".
PlanRow shipped_part(const std::string& label, const std::string& model, const TestSet& test,
                     const std::string& by, const std::string& part) {
  Cell cell{.model = model, .test = test};
  cell.quantity = Quantity::kPart;
  cell.by = by;
  cell.part = part;
  PlanRow row{label, {{}, cell, {}, {}, {}}};
  return row;
}

TestSet file(const std::string& task, const std::string& name, std::int64_t count) {
  return {.task = task, .from = From::kFile, .file = name, .count = count};
}

void add_planning(std::vector<PlanRow>& rows) {
  rows.push_back(shipped_row("planning, as released", "planning", {.task = "planning"}, 100));
  rows.push_back(shipped_row("planning-ar, as released", "planning-ar", {.task = "planning"}));
  const TestSet small{
      .task = "planning", .from = From::kGenerated, .options = {"nodes=4"}, .seed = 5};
  for (const char* name : {"quick-planning-mgdm", "quick-planning-ar"})
    rows.push_back(shipped_row(fmt::format("{}, 4 nodes", name), name, small));
}

void add_countdown(std::vector<PlanRow>& rows) {
  const auto add = [&](const std::string& model, const std::string& task, double paper,
                       bool tries = false) {
    rows.push_back(shipped_row(model + ", as released", model, {.task = task}, paper, tries));
    rows.push_back(shipped_row(model + ", generated", model,
                               {.task = task, .from = From::kGenerated}, {}, tries));
  };
  add("countdown-3", "countdown-3", 98.1);
  add("countdown-4", "countdown-4", 52.0, /*tries=*/true);
  TestSet game24 = file("countdown-4", "cd4_tot24.jsonl", 100);
  game24.ending = ",24";
  rows.push_back(shipped_row("countdown-4, Game of 24", "countdown-4", game24, {}, /*tries=*/true));
  add("countdown-4-ar", "countdown-4", 31.9);
  rows.push_back(shipped_row("countdown-4-ar, Game of 24", "countdown-4-ar", game24));
  add("countdown-5", "countdown-5", 27.0, /*tries=*/true);
}

void add_sudoku(std::vector<PlanRow>& rows) {
  const TestSet easy{.task = "sudoku", .from = From::kGenerated},
      minimal{.task = "sudoku", .from = From::kGenerated, .options = {"difficulty=hard"}},
      hard{.task = "sudoku",
           .from = From::kGenerated,
           .options = {"difficulty=hard", "guesses=10.."}};
  rows.push_back(shipped_row("sudoku, easy", "sudoku", easy, 100));
  const TestSet papers = file("sudoku", "sudoku_test_200.csv", 200);
  rows.push_back(shipped_row("sudoku, the paper's first 200", "sudoku", papers, 100));
  rows.push_back(shipped_row("sudoku, random minimal", "sudoku", minimal));
  rows.push_back(shipped_row("sudoku, minimal, 10 guesses or more", "sudoku", hard));
  TestSet expert = file("sudoku", "rated_expert_spread.txt", 1000);
  expert.rated = true;
  rows.push_back(shipped_row("sudoku, rated expert", "sudoku", expert, {}, /*tries=*/true));
  for (const char* rating : {"below 4", "4 to 5.9", "6 to 7.9", "8 and more"})
    rows.push_back(shipped_part(fmt::format("… rated {}", rating), "sudoku", expert,
                                "accuracy_by_rating", rating));
  const TestSet extreme = file("sudoku", "extreme_dev1000.csv", 1000);
  rows.push_back(shipped_row("sudoku, Sudoku-Extreme, a sample of its training split", "sudoku",
                             extreme, {}, /*tries=*/true));
  for (const char* guesses : {"0", "1-4", "5-19", "20-49", "50+"})
    rows.push_back(shipped_part(fmt::format("… {} guesses", guesses), "sudoku", extreme,
                                "accuracy_by_guesses", guesses));
  rows.push_back(shipped_row("sudoku, Norvig's top95", "sudoku",
                             file("sudoku", "sudoku-top95.txt", 95), {}, /*tries=*/true));
  rows.push_back(shipped_row("sudoku-ar, easy", "sudoku-ar", easy));
  rows.push_back(shipped_row("sudoku-ar, the paper's first 200", "sudoku-ar", papers, 20.7));
  rows.push_back(shipped_row("sudoku-ar, random minimal", "sudoku-ar", minimal));
}

void add_sat(std::vector<PlanRow>& rows) {
  for (const std::string name : {"sat-5", "sat-7", "sat-9"})
    rows.push_back(
        shipped_row(name + ", generated", name, {.task = name, .from = From::kGenerated}));
  rows.push_back(
      shipped_row("sat-7, the paper's test", "sat-7", file("sat-7", "3sat7_test.jsonl", 1000)));
}

}  // namespace

Plan shipped_plan() {
  Table frame{"shipped", "The shipped models", "docs/results.md"};
  frame.corner = "model and puzzles";
  frame.columns = {"accuracy_paper", "accuracy", "best of 10 tries", "passes",
                   "parameters, millions"};
  frame.chart = Chart::kBarsByRow;
  frame.charted = 2;
  frame.notes = {
      "The paper's numbers are those of its 6M-parameter models on its own test files, trained on "
      "other data: docs/results.md says what is comparable. Of Sudoku it does not say how large "
      "the AR model was.",
      "One try each, decoded as the model's card says, in so many passes; best of 10 tries: of ten "
      "forms of the puzzle, the first answer that verifies, by the strict metric."};
  Plan plan{frame};
  add_planning(plan.rows);
  add_countdown(plan.rows);
  add_sudoku(plan.rows);
  add_sat(plan.rows);
  return plan;
}

}  // namespace mgdm::reproduction
