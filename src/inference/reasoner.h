// A trained model with all it needs to answer puzzles: text in, text out.
//
//   Reasoner reasoner = Reasoner::load("models/quick-planning", {});
//   std::vector<Answer> answers = reasoner.answer({"6,2/2,10/...-8,3"}, {0}, settings);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/slot.h"
#include "inference/engine.h"
#include "spec/decoding_settings.h"
#include "spec/kinds.h"
#include "spec/model_card.h"
#include "spec/model_settings.h"
#include "spec/puzzle_rows.h"

namespace mgdm::inference {

struct Answer {
  std::string text;  // of a single try; special tokens by name, as tasks::judge takes it
  std::int64_t forward_passes = 0;
  std::string best;              // the first verified one of settings.tries tries, else `text`
  std::int64_t best_passes = 0;  // of all tries it took
  decoding::Votes votes = {};
};

class Reasoner {
 public:
  Reasoner(std::shared_ptr<Engine> engine, spec::ModelSettings model, spec::ModelCard card,
           data::Vocabulary vocabulary);

  static Reasoner load(const std::string& folder, const EngineSettings& settings);

  // The settings as this model decodes by them: what its kind decides is decided. UsageError when
  // they cannot be: tries that would all be the same, symmetries of a task without, loops of a
  // model without loops.
  spec::DecodingSettings resolved(const spec::DecodingSettings& settings) const;

  // Whether a setting of [decoding] ("noise") counts with this model under these settings: none, or
  // what it would need.
  std::optional<std::string> missing_for(std::string_view key,
                                         const spec::DecodingSettings& settings) const;

  // A puzzle of the task for the engine, under resolved settings. `item` keys the random draws: the
  // answer to an item does not depend on the puzzles beside it.
  decoding::Request request(const std::string& input, std::uint32_t item,
                            const spec::DecodingSettings& resolved,
                            decoding::Observer observer = {}) const;
  // And what came back. Throws the error that ended it.
  Answer read(const decoding::Finished& finished, std::span<const std::uint8_t> frozen) const;

  // Answers that came together, with the numbers of their inputs.
  using Answers = std::vector<std::pair<std::size_t, Answer>>;
  // Calls take(answers) after every pass in which some inputs were answered, at most `batch` of
  // them being decoded at a time. on_step sees the slots as they fill in: slot i is the i-th input.
  void answer(std::span<const std::string> inputs, std::span<const std::uint32_t> items,
              const spec::DecodingSettings& settings, std::size_t batch,
              const std::function<void(Answers answers)>& take,
              const decoding::Observer& on_step = {}) const;
  // The same, all at once and in order.
  std::vector<Answer> answer(std::span<const std::string> inputs,
                             std::span<const std::uint32_t> items,
                             const spec::DecodingSettings& settings,
                             const decoding::Observer& on_step = {}) const;

  const spec::ModelCard& card() const { return card_; }
  const spec::PuzzleRows& rows() const { return *rows_; }
  const tasks::Task& task() const { return rows_->task(); }
  Engine& engine() const { return *engine_; }
  const std::shared_ptr<Engine>& shared_engine() const { return engine_; }

  // Whether puzzles have other forms that the model can read.
  bool has_forms() const;

 private:
  void check_symmetries(const spec::DecodingSettings& settings) const;
  // A puzzle under random symmetries, for votes or tries: with itself as many as are asked for, no
  // two alike, or fewer where it has no more.
  std::vector<data::View> other_forms(const std::string& input, std::uint32_t item,
                                      const spec::DecodingSettings& resolved) const;

  std::shared_ptr<Engine> engine_;
  spec::ModelSettings model_;
  spec::ModelCard card_;
  std::shared_ptr<const spec::PuzzleRows> rows_;  // shared with requests, which may outlive us
};

}  // namespace mgdm::inference
