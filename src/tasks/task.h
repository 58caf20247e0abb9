// A reasoning task: puzzles as text, answers as text, and the truth about both.
//
//   const auto task = make_task("countdown-4");  // tasks/all_tasks.h
//   Example example = task->generate(/*seed=*/0, Split::kTrain, /*item=*/7);
//   task->verify(example, example.output);        // {correct, correct_paper} = {true, true}
//   task->explain(example, "1+1=3");              // what is wrong with it, in words
//
// A task speaks strings, never token ids. Each folder holds a family of tasks (tasks/family.h).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"

namespace mgdm::tasks {

struct Example {
  std::string input;
  std::string output;  // the label; may be empty where only the puzzle is known
  bool operator==(const Example&) const = default;
};

// Train and test never share a puzzle: countdown holds out targets, the others put a puzzle into
// the test when in_test_split(canonical form) says so.
enum class Split { kTrain, kTest };

// An answer by the two metrics.
struct Verdict {
  bool correct = false;        // strict: what is true
  bool correct_paper = false;  // what the paper's released code counts
  bool paper_applies = true;   // false when that metric needs a label (SAT) and there is none
  bool checked = true;  // false when the task judges by the label alone and there is none: then
                        // the answer is neither right nor wrong
  bool operator==(const Verdict&) const = default;
};

// One thing wrong with an answer.
struct Fault {
  std::string category;  // a fixed word per kind, for counting: "calculation error", "row clash"
  int where = 0;         // which equation, clause, row ... from 1; 0 when it has no place
  std::string words;     // a sentence for a person
};

// A puzzle as one of its task's symmetries shows it, and how an answer to it is written there.
struct View {
  std::string input;
  // Character i of an answer stands at places[i] of the view's answer; empty when all stay.
  std::vector<std::size_t> places = {};
  // And becomes another: (from, to), each once on either side. Others stay what they are.
  std::vector<std::pair<char, char>> letters = {};
};

// What a task can do beside what every task can.
struct Abilities {
  bool symmetries = false;            // augment() gives other puzzles with the same solution
  bool views = false;                 // view() gives the same puzzle under a symmetry
  bool reverse = false;               // answers can be written backwards
  bool sudoku_files = false;          // puzzles stand in Sudoku CSV, lines and grids
  std::optional<int> variables = {};  // sat-N: puzzles are formulas of so many variables
  bool released = false;              // released() gives the paper's own examples
  bool traces = false;                // and the searches that were made for them
  bool failures = false;              // its own examples may end without a solution
};

class Released;  // tasks/released.h

class Task {
 public:
  virtual ~Task() = default;

  virtual std::string name() const = 0;   // "countdown-4"
  virtual std::string about() const = 0;  // one line for people
  // What else to know of its puzzles: what kind is made, how they are written. And both in a line.
  virtual std::string details() const { return ""; }
  std::string about_and_details() const {
    const std::string more = details();
    return about() + (more.empty() ? "" : "; " + more);
  }
  virtual Abilities abilities() const { return {}; }

  // The item-th puzzle of a split. A pure function of its arguments, so any thread may make it.
  virtual Example generate(std::uint64_t seed, Split split, std::uint32_t item) const = 0;

  // The examples of the paper's released file, from the first on. UsageError where they cannot be
  // made again: without abilities().released.
  virtual std::unique_ptr<Released> released(Split split) const;

  // What a person types or a file holds, as the dataset writes it: Sudoku's '.' becomes '0', DIMACS
  // becomes literals, spaces around numbers go. Throws Error when it is no puzzle of this task.
  virtual std::string normalize_input(std::string_view text) const = 0;

  // The answer that a program for such puzzles printed, as the dataset writes it: what a SAT solver
  // says becomes literals. As it is where it cannot be, or the task knows no such programs. Error
  // where it claims what this task cannot judge.
  virtual std::string normalize_answer(std::string_view text) const { return std::string(text); }

  // What of a puzzle is beyond all that this task generates, in words: numbers or sizes that models
  // have never seen. None where nothing is, or the task does not look.
  virtual std::optional<std::string> unfamiliar(std::string_view) const { return std::nullopt; }

  // Why nothing can be an answer, where the puzzle itself shows it at a glance: givens of a Sudoku
  // that clash. None for puzzles without a solution that take a search to see it.
  virtual std::optional<Fault> contradiction(std::string_view) const { return std::nullopt; }

  // The label of an input by exact search. None when the input has no solution, or always where
  // can_solve() is false because the task has no exact search.
  virtual std::optional<std::string> solve(std::string_view input) const = 0;
  virtual bool can_solve() const { return true; }

  // What a puzzle has of which solve() finds none, in words.
  virtual std::string no_solution() const { return "no solution"; }

  // Throws Error when example.input is no puzzle of this task; a malformed answer is just wrong.
  virtual Verdict verify(const Example& example, std::string_view answer) const = 0;

  // Everything wrong under the strict metric, the decisive fault first; empty when correct.
  virtual std::vector<Fault> explain(const Example& example, std::string_view answer) const = 0;

  // A puzzle or an answer, also one not finished yet, as a person likes to see it: as it is, or a
  // Sudoku as a board.
  virtual std::string drawn(std::string_view text) const { return std::string(text); }

  // A copy of a solved example: the same puzzle under a random symmetry, for augmentation. Its
  // label follows the rule of the task's labels. UsageError without abilities().symmetries.
  // Copies of training examples are training examples: none is in the test split.
  virtual Example augment(const Example& example, Stream& random) const;

  // How many characters the input and the output of any copy have together, at most.
  virtual std::size_t longest_copy(const Example& example) const {
    return example.input.size() + example.output.size();
  }

  // The puzzle under a random symmetry that every answer follows, right or wrong, for decoding. Its
  // input has as many characters. UsageError without abilities().views.
  virtual View view(std::string_view input, Stream& random) const;

  // The label written backwards, and back again: what a reverse model learns (planning only).
  virtual std::string reversed_output(std::string_view output) const;

  // How far ahead an answer must look (planning only): accuracy is reported per distance.
  virtual std::optional<int> planning_distance(const Example&) const { return std::nullopt; }

  // Where in the label one must look ahead (planning only): the place of the first character by
  // which the right way and another one differ. None where only one way leads on.
  virtual std::optional<std::size_t> hard_subgoal(const Example&) const { return std::nullopt; }

  // How many guesses the puzzle takes (Sudoku only; sudoku/grade.h): accuracy is reported by them.
  // Or that it is none to be asked of anybody: it has several solutions, or none.
  static constexpr std::uint64_t kNoSolution = std::numeric_limits<std::uint64_t>::max(),
                                 kManySolutions = kNoSolution - 1;
  virtual std::optional<std::uint64_t> guesses(const Example&) const { return std::nullopt; }
};

// Where the draws for an item come from. The splits have streams of their own: otherwise item 7 of
// the test would be a variation of item 7 of the training data.
Stream item_stream(std::uint64_t seed, Split split, std::uint32_t item);

// One puzzle in ten belongs to the test, by a hash of a form that the task's symmetries leave alone
// (but for planning, where renamed nodes make another puzzle).
bool in_test_split(std::string_view canonical_form);

}  // namespace mgdm::tasks
