#include "inference/solve.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::inference {
namespace {

// The words of the answer's first fault; empty without one.
std::string explanation_of(const Solved& solved) {
  return solved.check.faults.empty() ? "" : solved.check.faults.front().words;
}

}  // namespace

std::string_view verdict_of(const Solved& solved) {
  return solved.check.right() ? "verified" : tasks::name_of(solved.check.result);
}

std::string effort(const Solved& solved) {
  const auto& [asked, forms, agreed] = solved.votes;
  std::string text = passes_of(solved.best.passes);
  if (asked == 1) return text;
  text += fmt::format(", the answer of {} of {} form{}", agreed, forms, forms == 1 ? "" : "s");
  if (forms < asked) text += fmt::format(" ({} asked)", asked);
  return text;
}

void solve_each(const LoadedModel& model, std::span<const Prepared> puzzles,
                std::uint32_t first_item, const decoding::DecodingSettings& settings,
                std::size_t batch, const std::function<void(std::size_t, Solved&&)>& take,
                const OnStepOfPuzzle& on_step, const OnErrorOfPuzzle& on_error,
                const OnPass& on_pass) {
  MGDM_CHECK(batch > 0);
  const auto fail = [&](std::size_t number, const std::exception_ptr& error) {
    if (!on_error) std::rethrow_exception(error);
    on_error(number, error);
  };
  const decoding::DecodingSettings now = model.resolved(settings);
  Solver solver(model.network());
  std::map<QuestionId, std::size_t> numbers;
  for (std::size_t next = 0; next < puzzles.size() || solver.active() > 0;) {
    stop_if_interrupted();
    if (on_pass) on_pass();
    for (; next < puzzles.size() && solver.active() < batch; ++next) {
      if (puzzles[next].error) {
        fail(next, puzzles[next].error);
        continue;
      }
      if (puzzles[next].contradiction) {
        take(next, model.unanswerable(puzzles[next], now));
        continue;
      }
      OnStep mine;
      if (on_step) mine = [&, next](const StepText& step) { return on_step(next, step); };
      const auto item = first_item + static_cast<std::uint32_t>(next);
      numbers.emplace(solver.join(model.question(puzzles[next], item, now, std::move(mine))), next);
    }
    for (const Outcome& outcome : solver.pass()) {
      const std::size_t number = numbers.extract(outcome.id).mapped();
      if (outcome.error)
        fail(number, outcome.error);
      else
        take(number, model.solved(puzzles[number], outcome));
    }
  }
}

std::vector<Solved> solve_all(const LoadedModel& model, std::span<const std::string> puzzles,
                              std::uint32_t first_item, const decoding::DecodingSettings& settings,
                              std::size_t batch, const OnStepOfPuzzle& on_step,
                              const OnErrorOfPuzzle& on_error, const OnPass& on_pass) {
  std::vector<Prepared> prepared(puzzles.size());
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    try {
      prepared[i] = model.prepare(puzzles[i]);
    } catch (const Error&) {
      prepared[i].error = std::current_exception();
    }
  }
  std::vector<Solved> all(puzzles.size());
  solve_each(
      model, prepared, first_item, settings, batch,
      [&](std::size_t number, Solved&& solved) {
        model.check(solved);
        all[number] = std::move(solved);
      },
      on_step,
      [&](std::size_t number, const std::exception_ptr& error) {
        if (on_error) on_error(number, error);
        all[number].input = puzzles[number];
        all[number].error = error;
      },
      on_pass);
  stop_if_interrupted();
  return all;
}

Solved solve(const LoadedModel& model, const std::string& puzzle, std::uint32_t item,
             const decoding::DecodingSettings& settings, const OnStep& on_step) {
  OnStepOfPuzzle of_puzzle;
  if (on_step) of_puzzle = [&](std::size_t, const StepText& step) { return on_step(step); };
  const auto thrown = [](std::size_t, const std::exception_ptr& error) {
    std::rethrow_exception(error);
  };
  return std::move(solve_all(model, {&puzzle, 1}, item, settings, 1, of_puzzle, thrown).front());
}

std::string error_json(const std::string& what) {
  const nlohmann::ordered_json line{{"error", what}};
  return formats::json_text(line);
}

std::string solved_json(const Solved& solved, const tasks::Task& task, bool search) {
  nlohmann::ordered_json line{{"input", solved.input},
                              {"solution", solved.text},
                              {"verified", nullptr},
                              {"explanation", explanation_of(solved)},
                              {"passes", solved.best.passes}};
  if (solved.check.right()) line["verified"] = true;
  if (solved.check.wrong()) line["verified"] = false;
  if (solved.check.wrong() || search) {
    const std::optional<std::string> right = task.solve(solved.input);
    if (task.can_solve()) line["solvable"] = right.has_value();
    if (right) line["right"] = *right;
  }
  if (const Votes& votes = solved.votes; votes.asked > 1) {
    line["symmetries"] = votes.asked;
    line["forms"] = votes.forms;
    line["agreed"] = votes.agreed;
  }
  return formats::json_text(line);
}

std::string solved_csv(const Solved& solved, const tasks::Task& task, bool search) {
  std::string right;
  if ((solved.check.wrong() || search) && task.can_solve())
    right = task.solve(solved.input).value_or(task.no_solution());
  const char* const verified = solved.check.right()   ? "yes"
                               : solved.check.wrong() ? "no"
                                                      : "not checked";
  return fmt::format("{},{},{},{},{},{}", csv_cell(solved.input), csv_cell(solved.text), verified,
                     csv_cell(explanation_of(solved)), csv_cell(right), solved.best.passes);
}

std::string error_csv(const std::string& what) { return ",,no," + csv_cell(what) + ",,"; }

}  // namespace mgdm::inference
