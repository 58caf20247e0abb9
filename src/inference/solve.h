// Solves puzzles and checks the answers; results as JSON and CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "inference/loaded_model.h"

namespace mgdm::inference {

// "1 pass", "20 passes".
inline std::string passes_of(std::int64_t passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

// "verified", "wrong" or "not checked".
std::string_view verdict_of(const Solved& solved);

// "20 passes"; with symmetries "20 passes, the answer of 5 of 6 forms (256 asked)".
std::string effort(const Solved& solved);

// Called with the number of a puzzle in its list; returning false ends that puzzle only.
using OnStepOfPuzzle = std::function<bool(std::size_t puzzle, const StepText& step)>;

// Called between passes; what it throws ends the call.
using OnPass = std::function<void()>;

// Called with the number of a puzzle and why it has no answer.
using OnErrorOfPuzzle = std::function<void(std::size_t puzzle, const std::exception_ptr& error)>;

// Answers prepared puzzles, at most `batch` at a time, with items first_item, first_item + 1, ...
// Calls take(number, solved) as each is answered; the answers are not checked. An error of a puzzle
// goes to `on_error`, which may throw; without it the first one is thrown. Throws Interrupted.
void solve_each(const LoadedModel& model, std::span<const Prepared> puzzles,
                std::uint32_t first_item, const decoding::DecodingSettings& settings,
                std::size_t batch, const std::function<void(std::size_t, Solved&&)>& take,
                const OnStepOfPuzzle& on_step = {}, const OnErrorOfPuzzle& on_error = {},
                const OnPass& on_pass = {});

// Solves puzzles given as text and checks the answers, in their order. A puzzle that cannot be read
// or answered has its error in Solved::error; on_error, if given, is told of it first.
std::vector<Solved> solve_all(const LoadedModel& model, std::span<const std::string> puzzles,
                              std::uint32_t first_item, const decoding::DecodingSettings& settings,
                              std::size_t batch, const OnStepOfPuzzle& on_step = {},
                              const OnErrorOfPuzzle& on_error = {}, const OnPass& on_pass = {});

// One puzzle, whose error is thrown. The item keys the random draws.
Solved solve(const LoadedModel& model, const std::string& puzzle, std::uint32_t item,
             const decoding::DecodingSettings& settings, const OnStep& on_step = {});

// {"input", "solution", "verified", "explanation", "passes"} on one line, "verified" being null
// where nothing can check the answer; a wrong one has also {"solvable"} and {"right"}, the answer
// of an exact search, which `search` adds to every answer; with symmetries also {"symmetries",
// "forms", "agreed"}.
std::string solved_json(const Solved& solved, const tasks::Task& task, bool search = false);
std::string error_json(const std::string& what);  // {"error"}

// CSV: a header, and rows without line ends.
inline constexpr std::string_view kSolvedCsvHeader =
    "input,solution,verified,explanation,right,passes";
std::string solved_csv(const Solved& solved, const tasks::Task& task, bool search = false);
std::string error_csv(const std::string& what);

}  // namespace mgdm::inference
