// How `solve` answers puzzles: typed ones, then those of a file, each by the model or by the exact
// search that fits it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/complaints.h"
#include "cli/pick_model.h"
#include "cli/solve_settings.h"
#include "formats/dimacs.h"
#include "inference/loaded_model.h"

namespace mgdm::cli {

// The models that answer, each loaded once.
class Models {
 public:
  // The model that settings.model names; none if it names none.
  const inference::LoadedModel* named(const SolveSettings& settings);
  // The named model, or the one that fits the puzzle or the formula.
  const inference::LoadedModel& of(const std::string& puzzle, const SolveSettings& settings);
  const inference::LoadedModel& of(const formats::Cnf& formula, const std::string& file,
                                   const SolveSettings& settings);

 private:
  const inference::LoadedModel& load(const std::string& folder, const SolveSettings& settings);

  std::map<std::string, std::unique_ptr<inference::LoadedModel>> loaded_;  // by folder
  std::optional<ModelPicker> picker_;
};

// What became of the puzzles.
struct Tally {
  std::size_t verified = 0, wrong = 0, not_checked = 0;
  bool try_again = false;  // with --tries, an answer may be right
  bool noted = false;      // that a puzzle is unlike the model's
  Complaints bad = {};

  std::size_t all() const { return verified + wrong + not_checked + bad.count(); }
  int exit_code() const { return wrong + bad.count() == 0 ? 0 : 1; }

  void count(const inference::Solved& solved) {
    ++(solved.check.right() ? verified : solved.check.wrong() ? wrong : not_checked);
  }

  // Reports a puzzle that cannot be answered. It keeps its place among the answers.
  void complain(const Error& error, const SolveSettings& settings);
};

// Both print the answers in the order of the puzzles and say what is wrong with them.
Tally answer_by_models(Models& models, const SolveSettings& settings);
Tally answer_by_search(const SolveSettings& settings);

}  // namespace mgdm::cli
