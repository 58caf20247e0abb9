// A trained model that answers puzzles: text in, text out.
//
//   const LoadedModel model = LoadedModel::load("models/quick-planning", {});
//   Solver solver(model.network());
//   const Prepared puzzle = model.prepare("6,2/2,10/...-8,3");
//   solver.join(model.question(puzzle, /*item=*/0, model.resolved(model.card().decoding)));
//   while (solver.active() > 0)
//     for (const Outcome& outcome : solver.pass()) show(model.solved(puzzle, outcome));
#pragma once

#include <cstdint>
#include <exception>
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
#include "tasks/score.h"
#include "tasks/task.h"
#include "tasks/text/task.h"

namespace mgdm::inference {

// A puzzle as a row of tokens.
struct Prepared {
  std::string input;                          // as the task writes it
  std::vector<data::Token> tokens;            // (N): its row
  std::vector<std::uint8_t> frozen;           // (N): 1 where the row is given
  std::optional<tasks::Fault> contradiction;  // an obvious reason why there is no answer
  std::exception_ptr error = {};  // in a list: why this text is not a puzzle; the rest is empty
  std::optional<tasks::Padded> padded = {};  // what the model reads instead of `input`

  const std::string& read() const { return padded ? padded->input : input; }
  // The answer to `input` in what the model answers, special tokens included.
  std::string own_answer(std::string answer) const;
};

// An answer as text.
struct AnswerText {
  std::string text = {};  // with special tokens by name, as tasks::judge takes it
  std::int64_t passes = 0;
};

// The result of a puzzle, for the command line, the library and evaluations.
struct Solved {
  std::string input = {};  // as the task writes it
  AnswerText first = {};   // of a single try, or the vote
  AnswerText best = {};    // the first verified answer of several tries, else `first`
  Votes votes = {};
  bool asked = true;              // false: the puzzle contradicts itself, the model was not asked
  std::exception_ptr error = {};  // in a list: why this puzzle has no answer; the rest is empty
  // By check():
  std::string text = {};  // the best answer up to its end
  tasks::Check check = {};
  std::optional<std::string> unfamiliar = {};  // how the puzzle differs from training puzzles
};

// Called after every pass; returning false ends the puzzle with its answer as it is.
using OnStep = std::function<bool(const StepText& step)>;

class LoadedModel {
 public:
  LoadedModel(LoadedNetwork network, spec::ModelSettings settings, spec::ModelCard card,
              data::Vocabulary vocabulary);

  // Error when the folder holds no model that was trained on a task.
  static LoadedModel load(const std::string& folder, const ComputeSettings& settings);

  // Lets a command (tasks/text/verifier.h) or a function judge answers. Throws a UsageError unless
  // the task is text.
  void use_verifier(const std::string& command);
  void use_verifier(tasks::text::Judge judge);

  // A copy of the model for another thread: it shares the weights and has its own buffers and
  // threads. Error for a network that cannot be shared.
  LoadedModel share(int threads) const;

  // The settings, completed by those that the model's kind decides. UsageError for settings that
  // are impossible: tries that would all be equal, symmetries or loops where there are none.
  decoding::DecodingSettings resolved(const decoding::DecodingSettings& settings) const;

  // The setting that is missing for a setting of [decoding] ("noise") to have an effect on this
  // model; none if it has one.
  std::optional<std::string> missing_for(std::string_view key,
                                         const decoding::DecodingSettings& settings) const;

  // Error when the text is not a puzzle of the task or does not fit the model.
  Prepared prepare(const std::string& puzzle) const;

  // `resolved` as resolved() gives it. The item keys the random draws.
  Question question(const Prepared& puzzle, std::uint32_t item,
                    const decoding::DecodingSettings& resolved, OnStep on_step = {}) const;

  // The answer as text, not checked yet. Throws the outcome's error.
  Solved solved(const Prepared& puzzle, const Outcome& outcome) const;
  // A puzzle that contradicts itself gets no answer, and the model is not asked.
  Solved unanswerable(const Prepared& puzzle, const decoding::DecodingSettings& settings) const;
  // Fills in whether the answer is right, and its faults.
  void check(Solved& solved) const;

  const spec::ModelCard& card() const { return card_; }
  const spec::PuzzleRows& rows() const { return *rows_; }
  const tasks::Task& task() const { return rows_->task(); }
  const LoadedNetwork& network() const { return *network_; }

  // Whether puzzles have other forms that the model can read.
  bool has_forms() const;

 private:
  void check_symmetries(const decoding::DecodingSettings& settings) const;
  // The other forms of the puzzle as the model reads it.
  std::vector<data::View> other_forms(const std::string& input, std::uint32_t item,
                                      const decoding::DecodingSettings& resolved) const;

  std::shared_ptr<const LoadedNetwork> network_;
  spec::ModelSettings settings_;
  spec::ModelCard card_;
  std::shared_ptr<const spec::PuzzleRows>
      rows_;  // shared with questions, which may outlive the model
};

}  // namespace mgdm::inference
