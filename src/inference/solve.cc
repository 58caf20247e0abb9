#include "inference/solve.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "formats/json_text.h"
#include "tasks/judge.h"

namespace mgdm::inference {

std::string effort(const Solved& solved) {
  const auto& [asked, forms, agreed] = solved.votes;
  std::string text = passes_of(solved.passes);
  if (asked == 1) return text;
  text += fmt::format(", the answer of {} of {} form{}", agreed, forms, forms == 1 ? "" : "s");
  if (forms < asked) text += fmt::format(" ({} asked)", asked);
  return text;
}

Posed pose(const Reasoner& reasoner, const std::string& puzzle) {
  const spec::PuzzleRows& rows = reasoner.rows();
  Posed posed{reasoner.task().normalize_input(puzzle), std::vector<std::uint8_t>(rows.length())};
  std::vector<data::Token> tokens(rows.length());
  rows.write_puzzle(posed.input, {tokens, posed.frozen});
  posed.contradiction = reasoner.task().contradiction(posed.input);
  return posed;
}

Solved unanswerable(Posed&& posed, const spec::DecodingSettings& settings) {
  MGDM_CHECK(posed.contradiction);
  Solved solved;
  solved.input = std::move(posed.input);
  solved.faults.push_back(*std::move(posed.contradiction));
  solved.votes = {settings.symmetries, 0, 0};
  solved.asked = false;
  return solved;
}

Solved check(const Reasoner& reasoner, const std::string& input, const Answer& answer) {
  const tasks::Example example{input, ""};
  Solved solved;
  solved.input = input;
  solved.text = tasks::up_to_end(answer.best);
  solved.verified = tasks::judge(reasoner.task(), example, answer.best).correct;
  if (!solved.verified) solved.faults = reasoner.task().explain(example, solved.text);
  solved.passes = answer.best_passes;
  solved.votes = answer.votes;
  solved.unfamiliar = reasoner.task().unfamiliar(input);
  return solved;
}

Solved solve(const Reasoner& reasoner, const std::string& puzzle, std::uint32_t item,
             const spec::DecodingSettings& settings, const OnStepText& on_step) {
  OnStepOfPuzzle observer;
  if (on_step) observer = [&](std::size_t, const StepText& step) { return on_step(step); };
  return std::move(solve_all(reasoner, {&puzzle, 1}, item, settings, 1, observer).front());
}

std::vector<Solved> solve_all(const Reasoner& reasoner, std::span<const std::string> puzzles,
                              std::uint32_t first_item, const spec::DecodingSettings& settings,
                              std::size_t batch, const OnStepOfPuzzle& on_step) {
  std::vector<Solved> solved(puzzles.size());
  // Of those that the model is asked: which of the puzzles each is, and the rest by its number
  // here.
  std::vector<std::size_t> places;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::uint8_t>> frozen;
  std::vector<std::uint32_t> items;
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    Posed puzzle = puzzles.size() == 1 ? pose(reasoner, puzzles[i])
                                       : with_location(fmt::format("puzzle {}", i + 1), 0,
                                                       [&] { return pose(reasoner, puzzles[i]); });
    if (puzzle.contradiction) {
      solved[i] = unanswerable(std::move(puzzle), settings);
      continue;
    }
    places.push_back(i);
    inputs.push_back(std::move(puzzle.input));
    frozen.push_back(std::move(puzzle.frozen));
    items.push_back(first_item + static_cast<std::uint32_t>(i));
  }
  decoding::Observer observer;
  if (on_step)
    observer = [&](const decoding::Step& step) {
      return on_step(places[step.slot], step_text(reasoner.rows(), frozen[step.slot], step));
    };
  reasoner.answer(
      inputs, items, settings, batch,
      [&](const Reasoner::Answers& answers) {
        for (const auto& [index, answer] : answers)
          solved[places[index]] = check(reasoner, inputs[index], answer);
      },
      observer);
  stop_if_interrupted();
  return solved;
}

std::string error_json(const std::string& what) {
  const nlohmann::ordered_json line{{"error", what}};
  return formats::json_text(line);
}

std::string solved_json(const Solved& solved, const tasks::Task& task) {
  nlohmann::ordered_json line{
      {"input", solved.input},
      {"solution", solved.text},
      {"verified", solved.verified},
      {"explanation", solved.faults.empty() ? "" : solved.faults.front().words},
      {"passes", solved.passes}};
  if (!solved.verified) {
    const std::optional<std::string> right = task.solve(solved.input);
    line["solvable"] = right.has_value();
    if (right) line["right"] = *right;
  }
  if (const decoding::Votes& votes = solved.votes; votes.asked > 1) {
    line["symmetries"] = votes.asked;
    line["forms"] = votes.forms;
    line["agreed"] = votes.agreed;
  }
  return formats::json_text(line);
}

std::string solved_csv(const Solved& solved, const tasks::Task& task) {
  std::string explanation, right;
  if (!solved.verified) {
    explanation = solved.faults.empty() ? "" : solved.faults.front().words;
    const std::optional<std::string> exact = task.solve(solved.input);
    right = exact ? *exact : task.no_solution();
  }
  return fmt::format("{},{},{},{},{},{}", csv_cell(solved.input), csv_cell(solved.text),
                     solved.verified ? "yes" : "no", csv_cell(explanation), csv_cell(right),
                     solved.passes);
}

std::string error_csv(const std::string& what) { return ",,no," + csv_cell(what) + ",,"; }

}  // namespace mgdm::inference
