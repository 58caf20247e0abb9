// Puzzles, answered and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/reasoner.h"
#include "inference/steps.h"
#include "tasks/task.h"

namespace mgdm::inference {

struct Solved {
  std::string input;  // as the task writes it
  std::string text;   // the answer, without special tokens after its end
  bool verified = false;
  std::vector<tasks::Fault> faults;
  std::int64_t passes = 0;
  decoding::Votes votes = {};
  bool asked = true;  // whether the model was: not where the puzzle contradicts itself
  std::optional<std::string> unfamiliar = {};  // what of the puzzle no model has learned (Task)
};

// "1 pass", "20 passes".
inline std::string passes_of(std::int64_t passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

// "20 passes"; with symmetries "20 passes, the answer of 5 of 6 forms (256 asked)".
std::string effort(const Solved& solved);

// A puzzle as the task writes it, which tokens of its row are given, and why it cannot have an
// answer, where the task sees that. Throws what is wrong with it.
struct Posed {
  std::string input;
  std::vector<std::uint8_t> frozen;
  std::optional<tasks::Fault> contradiction = {};
};
Posed pose(const Reasoner& reasoner, const std::string& puzzle);

// What becomes of one that contradicts itself: no answer, without asking the model.
Solved unanswerable(Posed&& posed, const spec::DecodingSettings& settings);

// An answer to it, checked.
Solved check(const Reasoner& reasoner, const std::string& input, const Answer& answer);

// Called after every pass; returning false ends it with the answer as it is.
using OnStepText = std::function<bool(const StepText& step)>;

// `item` keys the random draws.
Solved solve(const Reasoner& reasoner, const std::string& puzzle, std::uint32_t item,
             const spec::DecodingSettings& settings, const OnStepText& on_step = {});

// Told of a puzzle by its number in the list; returning false ends that puzzle only.
using OnStepOfPuzzle = std::function<bool(std::size_t puzzle, const StepText& step)>;

// Many of them, at most `batch` at a time, with items first_item, first_item + 1, ... An Error
// names the puzzle that is none, before the first pass.
std::vector<Solved> solve_all(const Reasoner& reasoner, std::span<const std::string> puzzles,
                              std::uint32_t first_item, const spec::DecodingSettings& settings,
                              std::size_t batch, const OnStepOfPuzzle& on_step = {});

// {"input", "solution", "verified", "explanation", "passes"} on one line; where it is not verified
// also {"solvable"} and what is right, by exact search, {"right"}; with symmetries also
// {"symmetries", "forms", "agreed"}.
std::string solved_json(const Solved& solved, const tasks::Task& task);
std::string error_json(const std::string& what);  // {"error"}

// The same for a spreadsheet: a row of names, and rows without their ends.
inline constexpr std::string_view kSolvedCsvHeader =
    "input,solution,verified,explanation,right,passes";
std::string solved_csv(const Solved& solved, const tasks::Task& task);
std::string error_csv(const std::string& what);

}  // namespace mgdm::inference
