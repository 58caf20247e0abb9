// Turns puzzles into rows of tokens and rows into answers, with the task, vocabulary, layout and
// direction of a model. Only this class writes a puzzle into a row.
//
//   const PuzzleRows rows(card, Vocabulary());
//   rows.write_puzzle("4,5,6,10,24", row);
//   std::string answer = rows.read(tokens, frozen);   // "4*5=20,..."
#pragma once

#include <memory>
#include <span>
#include <string>

#include "data/layout.h"
#include "data/rows.h"
#include "data/vocabulary.h"
#include "spec/model_card.h"
#include "tasks/task.h"

namespace mgdm::spec {

class PuzzleRows {
 public:
  // `task` replaces the task that the card names.
  PuzzleRows(const ModelCard& card, data::Vocabulary vocabulary,
             std::shared_ptr<const tasks::Task> task = {});

  const tasks::Task& task() const { return *task_; }
  const data::Layout& layout() const { return *layout_; }
  const data::Vocabulary& vocabulary() const { return vocabulary_; }
  std::size_t length() const { return static_cast<std::size_t>(layout_->length()); }

  // An Error when the puzzle (with its answer, if known) does not fit into a row.
  void check_room(const tasks::Example& example) const;

  // Writes a puzzle into a row of the layout's length. An Error when it does not fit, or has a
  // character that the model does not know.
  void write_puzzle(const std::string& input, data::Row row) const;
  void write_example(const tasks::Example& example, data::Row row) const;  // its first row

  // A puzzle under one of its task's symmetries. Errors as above.
  data::View view(const tasks::View& view) const;

  // The answer as text, with special tokens by name, in the form that tasks::judge takes.
  std::string read(std::span<const data::Token> tokens, std::span<const std::uint8_t> frozen) const;

 private:
  bool reverse_;  // answers stand backwards
  data::Vocabulary vocabulary_;
  std::shared_ptr<const tasks::Task> task_;
  std::shared_ptr<const data::Layout> layout_;
};

}  // namespace mgdm::spec
