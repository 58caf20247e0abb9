// A reasoning task: generates puzzles, solves them exactly and verifies answers, all as text.
//
//   const auto task = make_task("countdown-4");  // tasks/all_tasks.h
//   Example example = task->generate(/*seed=*/0, Split::kTrain, /*item=*/7);
//   task->verify(example, example.output);        // {correct, correct_paper} = {true, true}
//   task->explain(example, "1+1=3");              // what is wrong with it, in words
//
// A task reads and writes text, never tokens. Each folder below tasks/ holds one family of tasks
// and declares it in one row (tasks/family.h).
#pragma once

#include <cstdint>
#include <functional>
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
  std::string output;                  // the label; may be empty where only the puzzle is known
  std::vector<std::string> also = {};  // other answers that are as good, of the task `text`
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
  bool checked = true;         // false when the task needs a label to judge and there is none: the
                               // answer is then neither right nor wrong
  bool operator==(const Verdict&) const = default;
};

// One thing wrong with an answer.
struct Fault {
  std::string category;  // a fixed word per kind, for counting: "calculation error", "row clash"
  int where = 0;         // which equation, clause, row ... from 1; 0 when it has no place
  std::string words;     // a sentence for a person
};

// A symmetric variant of a puzzle for decoding, and how to translate an answer to it.
struct View {
  std::string input;
  // Character i of an answer is at places[i] of the view's answer; empty: at the same place.
  std::vector<std::size_t> places = {};
  // Characters that change, as (from, to), each once on either side. The others are unchanged.
  std::vector<std::pair<char, char>> letters = {};
};

// A puzzle brought to the size that models learn.
struct Padded {
  std::string input;
  // The answer to the puzzle itself, taken out of an answer to `input`. Malformed answers come back
  // unchanged.
  std::function<std::string(std::string answer)> own_answer;
};

class Released;  // tasks/released.h

// What only some tasks can do: a task implements such an interface and names itself in abilities().
struct Symmetries {
  // A copy of a solved example: the same puzzle under a random symmetry, for augmentation. Its
  // label follows the rule of the task's labels. Copies of training examples are training examples:
  // none is in the test split.
  virtual Example augment(const Example& example, Stream& random) const = 0;

  // The most characters that the input and output of a copy have together.
  virtual std::size_t longest_copy(const Example& example) const {
    return example.input.size() + example.output.size();
  }
};

struct Views {
  // The puzzle under a random symmetry, for decoding; any answer, right or wrong, can be translated
  // back. The input keeps its length.
  virtual View view(std::string_view input, Stream& random) const = 0;
};

struct Padding {
  // The puzzle with additions that leave its answers as they are. None when it has the size that
  // models learn, or is too large for it.
  virtual std::optional<Padded> padded(std::string_view input) const = 0;
};

struct Reversible {
  // The label written backwards, or backwards again: the form a reverse model learns.
  virtual std::string reversed_output(std::string_view output) const = 0;
};

struct Lookahead {
  // How far ahead an answer must look: accuracy is reported per distance.
  virtual int planning_distance(const Example& example) const = 0;

  // The place in the label that needs look-ahead: the first character at which the right path and
  // another one differ. None if there is only one path.
  virtual std::optional<std::size_t> hard_subgoal(const Example& example) const = 0;
};

struct Graded {
  static constexpr std::uint64_t kNoSolution = std::numeric_limits<std::uint64_t>::max(),
                                 kManySolutions = kNoSolution - 1;

  // The number of guesses that the puzzle takes, or that it has no or many solutions. Accuracy is
  // reported by it.
  virtual std::uint64_t guesses(const Example& example) const = 0;
};

struct ReleasedData {
  // The examples of the paper's released file, from the first on.
  virtual std::unique_ptr<Released> released(Split split) const = 0;
};

// Rules of play that no model learned, for exact search.
struct Rules {
  bool fractions = false;  // countdown: results on the way may be fractions
  bool unused = false;     // countdown: numbers may be left out, as on television
  bool operator==(const Rules&) const = default;
};

struct OtherRules {
  // An answer that follows these rules; none when there is none.
  virtual std::optional<std::string> solve_by(std::string_view input, const Rules& rules) const = 0;
};

struct Abilities {
  const Symmetries* symmetries = nullptr;
  const Views* views = nullptr;
  const Padding* padding = nullptr;
  const Reversible* reversible = nullptr;
  const Lookahead* lookahead = nullptr;
  const Graded* graded = nullptr;
  const ReleasedData* released = nullptr;
  const OtherRules* other_rules = nullptr;
  bool generates = true;              // false: generate() is a UsageError
  bool traces = false;                // the released data have the searches made for them
  bool failures = false;              // the task's own examples may end without a solution
  bool sudoku_files = false;          // puzzles stand in Sudoku CSV, lines and grids
  bool any_text = false;              // puzzles and answers are any text, whose alphabet is found
  std::optional<int> variables = {};  // puzzles are SAT formulas with this many variables
  std::string_view typed = {};        // characters that people type in puzzles beside the task's
};

class Task {
 public:
  virtual ~Task() = default;

  virtual std::string name() const = 0;   // "countdown-4"
  virtual std::string about() const = 0;  // one line for people
  // More about its puzzles: the kind that is generated, and their text form.
  virtual std::string details() const { return ""; }
  std::string about_and_details() const {
    const std::string more = details();
    return about() + (more.empty() ? "" : "; " + more);
  }
  virtual Abilities abilities() const { return {}; }

  // The item-th puzzle of a split. A pure function of its arguments, so any thread may make it.
  virtual Example generate(std::uint64_t seed, Split split, std::uint32_t item) const = 0;

  // A typed puzzle in the dataset's form: Sudoku's '.' becomes '0', DIMACS becomes literals, spaces
  // around numbers are removed. Error when the text is not a puzzle of this task.
  virtual std::string normalize_input(std::string_view text) const = 0;

  // The output of another solver in the dataset's form: a SAT solver's output becomes literals.
  // Other text is returned unchanged. Error for a claim that this task cannot judge.
  virtual std::string normalize_answer(std::string_view text) const { return std::string(text); }

  // How a puzzle differs from all that this task generates, in words: numbers, or sizes that
  // padding cannot mend, that models have never seen. None if it does not, or the task does not
  // check.
  virtual std::optional<std::string> unfamiliar(std::string_view) const { return std::nullopt; }

  // An obvious reason why the puzzle has no solution: clashing givens of a Sudoku. None if finding
  // out takes a search.
  virtual std::optional<Fault> contradiction(std::string_view) const { return std::nullopt; }

  // The label of an input by exact search. None when the input has no solution, or always where
  // can_solve() is false because the task has no exact search.
  virtual std::optional<std::string> solve(std::string_view input) const = 0;
  virtual bool can_solve() const { return true; }

  // The words for a puzzle for which solve() finds nothing: "no solution".
  virtual std::string no_solution() const { return "no solution"; }

  // Error when example.input is not a puzzle of this task; a malformed answer is wrong.
  virtual Verdict verify(const Example& example, std::string_view answer) const = 0;

  // Everything wrong under the strict metric, the decisive fault first; empty when correct.
  virtual std::vector<Fault> explain(const Example& example, std::string_view answer) const = 0;

  // A puzzle or an answer, possibly unfinished, for people: a Sudoku as a board, others unchanged.
  virtual std::string drawn(std::string_view text) const { return std::string(text); }
};

// The random stream of an item. The splits have separate streams: otherwise item 7 of the test
// would be a variation of item 7 of the training data.
Stream item_stream(std::uint64_t seed, Split split, std::uint32_t item);

// Whether a puzzle belongs to the test split: one in ten does, by a hash of a form that is equal
// for all symmetric variants (except for planning, where renamed nodes make another puzzle).
bool in_test_split(std::string_view canonical_form);

}  // namespace mgdm::tasks
