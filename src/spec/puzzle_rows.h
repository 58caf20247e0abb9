// Puzzles as rows of tokens and rows as answers, the way a model was trained: its task, vocabulary,
// layout and direction. The one place that writes a puzzle into a row.
//
//   const PuzzleRows rows(card, Vocabulary());
//   rows.write_puzzle("4,5,6,10,24", row);
//   std::string answer = rows.read(tokens, frozen);   // "4*5=20,..."
#pragma once

#include <memory>
#include <span>
#include <string>

#include "data/layout.h"
#include "data/view.h"
#include "data/vocabulary.h"
#include "spec/model_card.h"
#include "tasks/task.h"

namespace mgdm::spec {

class PuzzleRows {
 public:
  PuzzleRows(const ModelCard& card, data::Vocabulary vocabulary);

  const tasks::Task& task() const { return *task_; }
  const data::Layout& layout() const { return *layout_; }
  const data::Vocabulary& vocabulary() const { return vocabulary_; }
  std::size_t length() const { return static_cast<std::size_t>(layout_->length()); }

  // Error when the puzzle, or the puzzle with its answer where that is known, has no room in a row.
  void check_room(const tasks::Example& example) const;

  // Into a row of the layout's length. Error when the puzzle has no room there, or a character that
  // the model does not know.
  void write_puzzle(const std::string& input, data::Row row) const;
  void write_example(const tasks::Example& example, data::Row row) const;  // its first row

  // A puzzle as its task shows it under a symmetry. Error as above.
  data::View view(const tasks::View& view) const;

  // The answer as text, special tokens by name, as tasks::judge takes it.
  std::string read(std::span<const data::Token> tokens, std::span<const std::uint8_t> frozen) const;

 private:
  bool reverse_;  // answers stand backwards
  data::Vocabulary vocabulary_;
  std::shared_ptr<const tasks::Task> task_;
  std::shared_ptr<const data::Layout> layout_;
};

}  // namespace mgdm::spec
