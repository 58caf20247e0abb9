// A trained model with all it needs to answer puzzles: text in, text out.
//
//   const LoadedModel model = LoadedModel::load("models/quick-planning", {});
//   Solver solver(model.network());
//   const Prepared puzzle = model.prepare("6,2/2,10/...-8,3");
//   solver.join(model.question(puzzle, /*item=*/0, model.resolved(model.card().decoding)));
//   while (solver.active() > 0)
//     for (const Outcome& outcome : solver.pass()) show(model.solved(puzzle, outcome));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoding_settings.h"
#include "inference/load_network.h"
#include "inference/solver.h"
#include "inference/steps.h"
#include "spec/model_card.h"
#include "spec/model_settings.h"
#include "spec/puzzle_rows.h"
#include "tasks/judge.h"
#include "tasks/task.h"

namespace mgdm::inference {

// A puzzle as the model reads it.
struct Prepared {
  std::string input;                          // as the task writes it
  std::vector<data::Token> tokens;            // (N): its row
  std::vector<std::uint8_t> frozen;           // (N): 1 where the row is given
  std::optional<tasks::Fault> contradiction;  // why nothing can be an answer, if the task sees it
};

// An answer as text.
struct AnswerText {
  std::string text = {};  // with special tokens by name, as tasks::judge takes it
  std::int64_t passes = 0;
};

// What became of a puzzle, for the command line, the library and evaluations.
struct Solved {
  std::string input = {};  // as the task writes it
  AnswerText first = {};   // of a single try, or the vote
  AnswerText best = {};    // the first verified answer of several tries, else `first`
  Votes votes = {};
  bool asked = true;  // false: the puzzle contradicts itself, the model was not asked
  // By check():
  std::string text = {};  // the best answer up to its end
  tasks::Check check = {};
  std::optional<std::string> unfamiliar = {};  // what of the puzzle no model has seen in training
};

// Called after every pass; returning false ends the puzzle with its answer as it is.
using OnStep = std::function<bool(const StepText& step)>;

class LoadedModel {
 public:
  LoadedModel(LoadedNetwork network, spec::ModelSettings settings, spec::ModelCard card,
              data::Vocabulary vocabulary);

  // Error when the folder holds no model that was trained on a task.
  static LoadedModel load(const std::string& folder, const ComputeSettings& settings);

  // The settings with what the model's kind decides filled in. UsageError for settings that cannot
  // be: tries that would all be the same, symmetries of a task without, loops of a model without.
  decoding::DecodingSettings resolved(const decoding::DecodingSettings& settings) const;

  // What a setting of [decoding] ("noise") needs to have an effect on this model under these
  // settings; nullopt when it has one.
  std::optional<std::string> missing_for(std::string_view key,
                                         const decoding::DecodingSettings& settings) const;

  // Throws what is wrong with the puzzle.
  Prepared prepare(const std::string& puzzle) const;

  // `resolved` as resolved() gives it. The item keys the random draws.
  Question question(const Prepared& puzzle, std::uint32_t item,
                    const decoding::DecodingSettings& resolved, OnStep on_step = {}) const;

  // The answer as text, not checked yet. Throws the outcome's error.
  Solved solved(const Prepared& puzzle, const Outcome& outcome) const;
  // A puzzle that contradicts itself gets no answer, and the model is not asked.
  Solved unanswerable(const Prepared& puzzle, const decoding::DecodingSettings& settings) const;
  // Whether the answer is right, and what is wrong with it.
  void check(Solved& solved) const;

  const spec::ModelCard& card() const { return card_; }
  const spec::PuzzleRows& rows() const { return *rows_; }
  const tasks::Task& task() const { return rows_->task(); }
  const LoadedNetwork& network() const { return *network_; }

  // Whether puzzles have other forms that the model can read.
  bool has_forms() const;

 private:
  void check_symmetries(const decoding::DecodingSettings& settings) const;
  std::vector<data::View> other_forms(const std::string& input, std::uint32_t item,
                                      const decoding::DecodingSettings& resolved) const;

  std::shared_ptr<const LoadedNetwork> network_;
  spec::ModelSettings settings_;
  spec::ModelCard card_;
  std::shared_ptr<const spec::PuzzleRows> rows_;  // shared with questions, which may outlive us
};

}  // namespace mgdm::inference
