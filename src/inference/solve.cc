#include "inference/solve.h"

#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "tasks/judge.h"

namespace mgdm::inference {

Solved solve(const Reasoner& reasoner, const std::string& puzzle, std::uint32_t item,
             const spec::DecodingSettings& settings, const OnStepText& on_step) {
  Solved solved;
  solved.input = reasoner.task().normalize_input(puzzle);
  const spec::PuzzleRows& rows = reasoner.rows();
  std::vector<data::Token> tokens(rows.length());
  std::vector<std::uint8_t> frozen(rows.length());
  rows.write_puzzle(solved.input, {tokens, frozen});
  decoding::Observer observer;
  if (on_step)
    observer = [&](const decoding::Step& step) { return on_step(step_text(rows, frozen, step)); };

  const Answer answer = reasoner.answer({&solved.input, 1}, {&item, 1}, settings, observer).front();
  stop_if_interrupted();
  const tasks::Example example{solved.input, ""};
  solved.text = tasks::up_to_end(answer.best);
  solved.verified = tasks::judge(reasoner.task(), example, answer.best).correct;
  solved.faults = reasoner.task().explain(example, solved.text);
  solved.passes = answer.best_passes;
  return solved;
}

std::string solved_json(const Solved& solved) {
  const nlohmann::ordered_json line{
      {"input", solved.input},
      {"solution", solved.text},
      {"verified", solved.verified},
      {"explanation", solved.faults.empty() ? "" : solved.faults.front().words},
      {"passes", solved.passes}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace mgdm::inference
