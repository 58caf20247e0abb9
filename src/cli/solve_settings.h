// What solve_command.cc and solve_dimacs.cc share: the settings, and showing an answer fill in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "config/settings.h"
#include "inference/solve.h"

namespace mgdm::cli {

struct SolveSettings {
  std::string model, input, keys, verifier;
  std::vector<std::string> puzzles;
  std::string format = "auto", color = "auto";
  std::int64_t batch = 64, target = 0;
  DecodingFlags decode;
  inference::ComputeSettings compute;
  bool explain_format = false, show = false, json = false, csv = false, quiet = false;
  bool exact = false;  // also where only the rules ask for an exact search
  tasks::Rules rules;

  void visit(config::Visitor& v);
};

// With settings.show the answer is printed as it fills in, each line behind `prefix`. `item` keys
// the random draws.
inference::Solved solve_shown(const inference::LoadedModel& model, const std::string& puzzle,
                              std::uint32_t item, const SolveSettings& settings,
                              const std::string& prefix = "");

// Notes on standard error, behind `prefix`, that the model was not trained on such puzzles.
void note_unfamiliar(const inference::Solved& solved, const SolveSettings& settings,
                     const std::string& prefix = "");

}  // namespace mgdm::cli
