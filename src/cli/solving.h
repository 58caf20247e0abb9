// One puzzle, answered and checked: what the modes of `mgdm solve` share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/decoding_flags.h"
#include "config/settings.h"
#include "evaluation/reasoner.h"
#include "tasks/task.h"

namespace mgdm::cli {

struct SolveSettings {
  std::string model, input, device = "auto";
  std::vector<std::string> puzzles;
  DecodingFlags decode;
  std::int64_t threads = 0;
  bool show = false, json = false, quiet = false;

  void visit(config::Visitor& v);
};

struct Solved {
  std::string input;  // as the task writes it
  std::string text;   // the answer, without special tokens after its end
  bool verified = false;
  std::vector<tasks::Fault> faults;
  std::int64_t passes = 0;
};

// With settings.show the answer is printed as it fills in, each line behind `prefix`. `item` keys
// the random draws.
Solved solve_puzzle(const evaluation::Reasoner& reasoner, const std::string& puzzle,
                    std::uint32_t item, const SolveSettings& settings,
                    const std::string& prefix = "");

// {"input", "solution", "verified", "explanation", "passes"} on one line.
std::string solved_json(const Solved& solved);

}  // namespace mgdm::cli
