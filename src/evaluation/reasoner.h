// A trained model with all it needs to answer puzzles: text in, text out.
//
//   Reasoner reasoner = Reasoner::load("models/quick-planning", compat::device("auto"));
//   std::vector<Answer> answers = reasoner.answer({"6,2/2,10/...-8,3"}, decoding);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/layout.h"
#include "data/vocabulary.h"
#include "engine/diffusion.h"
#include "engine/network.h"
#include "nn/model.h"
#include "spec/decoding_settings.h"
#include "spec/kinds.h"
#include "spec/model_card.h"
#include "tasks/task.h"

namespace mgdm::evaluation {

using spec::ModelCard;

struct Answer {
  std::string text;  // of a single try; special tokens by name, as tasks::judge takes it
  std::int64_t forward_passes = 0;
  std::string best;              // the first verified one of settings.tries tries, else `text`
  std::int64_t best_passes = 0;  // of all tries it took
};

class Reasoner {
 public:
  Reasoner(std::shared_ptr<nn::Model> model, ModelCard card, data::Vocabulary vocabulary);

  static Reasoner load(const std::string& folder, c10::Device device);

  // Answers to inputs of the task, in one batch. `items` key the random draws: the answer to an
  // item does not depend on its batch. on_step sees the rows as they fill in, and
  // with several tries those that are tried again.
  std::vector<Answer> answer(std::span<const std::string> inputs,
                             std::span<const std::uint32_t> items,
                             const spec::DecodingSettings& settings,
                             const engine::OnStep& on_step = {}) const;

  // Writes a puzzle into a row of the layout's length. Error when it has no room there, or a
  // character that the model does not know.
  void write_puzzle(const std::string& input, data::Row row) const;

  // Error when the puzzle, or the puzzle with its answer where that is known, has no room in a row.
  void check_room(const tasks::Example& example) const;

  const ModelCard& card() const { return card_; }
  const tasks::Task& task() const { return *task_; }
  const data::Layout& layout() const { return *layout_; }
  const data::Vocabulary& vocabulary() const { return vocabulary_; }
  nn::Model& model() const { return *model_; }
  // The model as a function, in the precision it answers with.
  engine::Network network(std::int64_t loops = 0) const {
    return engine::network_of(*model_, half_precision_, loops);
  }
  spec::Decoder decoder() const { return spec::objective_kind(card_.objective).decoder; }

 private:
  engine::Result decode(const engine::Batch& batch, const spec::DecodingSettings& settings,
                        const engine::OnStep& on_step) const;
  std::string read_row(const at::Tensor& tokens, std::span<const std::uint8_t> frozen) const;

  std::shared_ptr<nn::Model> model_;
  ModelCard card_;
  data::Vocabulary vocabulary_;
  std::shared_ptr<const tasks::Task> task_;
  std::shared_ptr<const data::Layout> layout_;
  bool half_precision_;
};

}  // namespace mgdm::evaluation
