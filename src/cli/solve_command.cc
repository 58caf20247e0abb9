#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/models.h"
#include "compat/device.h"
#include "evaluation/reasoner.h"
#include "tasks/judge.h"

namespace mgdm::cli {
namespace {

struct SolveSettings {
  std::string model, input, device = "auto";
  std::vector<std::string> puzzles;
  decoding::Settings decode;
  bool show = false, json = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder, or the name of a model we ship");
    v.field("puzzles", puzzles, "puzzles as text");
    v.field("input", input, "a file with one puzzle per line; - reads standard input");
    v.field("show", show, "watch the answer fill in");
    v.field("json", json, "one JSON object per puzzle");
    decode.visit(v);
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    v.field("quiet", quiet, "only the answers");
  }
};

std::vector<std::string> puzzles_of(const SolveSettings& settings) {
  std::vector<std::string> puzzles = settings.puzzles;
  if (!settings.input.empty()) {
    LineReader lines(settings.input);
    for (std::string_view line; lines.next(line);)
      if (!trim(line).empty()) puzzles.emplace_back(trim(line));
  }
  if (puzzles.empty()) throw UsageError("no puzzle to solve", "puzzles as words, or --input FILE");
  return puzzles;
}

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
  if (reasoner.card().task != "sudoku" || text.size() != 81) return text + "\n";
  std::string board;
  for (std::size_t i = 0; i < 81; ++i) {
    board += text[i];
    board += i % 9 == 8 ? "\n" : i % 3 == 2 ? " | " : " ";
    if (i == 26 || i == 53) board += "------+-------+------\n";
  }
  return board;
}

void solve_one(const evaluation::Reasoner& reasoner, const std::string& puzzle, std::uint32_t item,
               const SolveSettings& settings) {
  const std::string input = reasoner.task().normalize_input(puzzle);
  const auto length = static_cast<std::size_t>(reasoner.layout().length());
  std::vector<data::Token> tokens(length);
  std::vector<std::uint8_t> frozen(length);
  reasoner.layout().check_fits(input.size(),
                               reasoner.card().layout == "in_place" ? input.size() : 0);
  reasoner.layout().write_puzzle(reasoner.vocabulary().encode(input), {tokens, frozen});

  const bool animate = settings.show && ::isatty(::fileno(stdout)) == 1;
  decoding::OnStep on_step;
  if (settings.show)
    on_step = [&](int step, const at::Tensor& rows, const at::Tensor&) {
      if (animate && step > 0) fmt::print("\x1b[H\x1b[J");
      fmt::print("step {}\n{}", step + 1, picture(reasoner, rows[0], frozen));
      std::fflush(stdout);
      if (animate) std::this_thread::sleep_for(std::chrono::milliseconds(150));
      return !interrupted();
    };
  const std::vector<std::string> inputs{input};
  const std::vector<std::uint32_t> items{item};
  const evaluation::Answer answer =
      reasoner.answer(inputs, items, settings.decode, on_step).front();
  const std::string text(tasks::up_to_end(answer.best));
  const tasks::Example example{input, ""};
  const bool verified = tasks::judge(reasoner.task(), example, answer.best).correct;
  const auto faults = reasoner.task().explain(example, text);
  if (settings.json) {
    const nlohmann::ordered_json line{{"input", input},
                                      {"solution", text},
                                      {"verified", verified},
                                      {"explanation", faults.empty() ? "" : faults.front().words},
                                      {"passes", answer.best_passes}};
    fmt::print("{}\n", line.dump());
    return;
  }
  fmt::print("{}\n", text);
  if (settings.quiet) return;
  fmt::print(stderr, "{}, {} passes\n", verified ? "verified" : "wrong", answer.best_passes);
  for (std::size_t i = 0; i < faults.size() && i < 3; ++i)
    fmt::print(stderr, "  {}\n", faults[i].words);
}

void run(const SolveSettings& settings) {
  const std::vector<std::string> puzzles = puzzles_of(settings);
  const auto reasoner =
      evaluation::Reasoner::load(find_model(settings.model), compat::device(settings.device));
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    stop_if_interrupted();
    solve_one(reasoner, puzzles[i], static_cast<std::uint32_t>(i), settings);
  }
}

}  // namespace

Command solve_command() {
  return make_command<SolveSettings>(
      "solve", "Let a model answer puzzles, and watch it think",
      "  mgdm solve --model runs/planning/checkpoint-4883 "
      "'6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3'\n"
      "  mgdm solve --model runs/sudoku/checkpoint-9000 --input puzzles.txt --show\n"
      "  mgdm solve --model runs/cd4/checkpoint-20000 '4,5,6,10,24' --json\n",
      {"puzzles"}, {"model"}, run);
}

}  // namespace mgdm::cli
