#include "cli/solving.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/threads.h"
#include "compat/out_of_memory.h"
#include "evaluation/evaluate.h"
#include "tasks/judge.h"

namespace mgdm::cli {
namespace {

// The row as it stands after a pass: '_' for what is still hidden; a Sudoku as a board.
std::string picture(const evaluation::Reasoner& reasoner, const at::Tensor& row,
                    std::span<const std::uint8_t> frozen) {
  const at::Tensor bytes = row.to(at::kByte).cpu().contiguous();
  const std::span<const std::uint8_t> tokens(bytes.data_ptr<std::uint8_t>(),
                                             static_cast<std::size_t>(bytes.numel()));
  std::string text = reasoner.layout().read_answer(reasoner.vocabulary(), tokens, frozen);
  for (std::size_t at = 0; (at = text.find("[MASK]", at)) != std::string::npos;)
    text = text.substr(0, at) + "_" + text.substr(at + 6);
  text = tasks::without_special_tokens(text);
  if (reasoner.card().task != "sudoku" || text.size() != 81) return text;
  std::string board;
  for (std::size_t i = 0; i < 81; ++i) {
    board += text[i];
    if (i == 80) break;
    board += i % 9 == 8 ? "\n" : i % 3 == 2 ? " | " : " ";
    if (i == 26 || i == 53) board += "------+-------+------\n";
  }
  return board;
}

// Prints each pass; on a terminal over the one before.
engine::OnStep painter(const evaluation::Reasoner& reasoner, std::vector<std::uint8_t> frozen,
                       const std::string& prefix) {
  const bool animate = ::isatty(::fileno(stdout)) == 1;
  return [&reasoner, frozen = std::move(frozen), prefix, animate](const engine::Step& step) {
    if (animate && step.attempt + step.pass > 0) fmt::print("\x1b[H\x1b[J");
    fmt::print("{}step {}\n", prefix, step.pass + 1);
    const std::string text = picture(reasoner, step.tokens[0], frozen);
    for (const std::string_view line : split(text, '\n'))
      fmt::print("{}{}\n", prefix, printable(line));
    std::fflush(stdout);
    if (animate) std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return !interrupted();
  };
}

}  // namespace

void SolveSettings::visit(config::Visitor& v) {
  v.field("model", model, "a checkpoint folder, or the name of a model we ship");
  v.field("puzzles", puzzles, "puzzles as text");
  v.field("input", input,
          "a file of puzzles (JSONL, lines, Sudoku CSV) or one DIMACS formula; - reads lines or "
          "DIMACS from standard input");
  v.field("show", show, "watch the answer fill in");
  v.field("json", json, "one JSON object per puzzle");
  decode.visit(v);
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  visit_threads(v, threads);
  v.field("quiet", quiet, "only the answers");
}

Solved solve_puzzle(const evaluation::Reasoner& reasoner, const std::string& puzzle,
                    std::uint32_t item, const SolveSettings& settings, const std::string& prefix) {
  Solved solved;
  solved.input = reasoner.task().normalize_input(puzzle);
  const auto length = static_cast<std::size_t>(reasoner.layout().length());
  std::vector<data::Token> tokens(length);
  std::vector<std::uint8_t> frozen(length);
  reasoner.write_puzzle(solved.input, {tokens, frozen});

  const evaluation::Answer answer =
      compat::with_memory_for("one puzzle", evaluation::less_memory(1), [&] {
        return reasoner.answer(
            {&solved.input, 1}, {&item, 1}, settings.decode.over(reasoner.card().decoding),
            settings.show ? painter(reasoner, frozen, prefix) : engine::OnStep());
      }).front();
  stop_if_interrupted();
  solved.text = tasks::up_to_end(answer.best);
  const tasks::Example example{solved.input, ""};
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
  return line.dump();
}

}  // namespace mgdm::cli
