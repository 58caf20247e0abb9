#include "spec/puzzle_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tasks/judge.h"
#include "tasks/special_tokens.h"

namespace mgdm::spec {

PuzzleRows::PuzzleRows(const ModelCard& card, data::Vocabulary vocabulary)
    : reverse_(card.reverse),
      vocabulary_(std::move(vocabulary)),
      task_(tasks::make_task(card.task)),
      layout_(data::make_layout(card.layout, static_cast<int>(card.length), vocabulary_)) {}

void PuzzleRows::check_room(const tasks::Example& example) const {
  const std::size_t puzzle = vocabulary_.count_first(example.input),
                    answer = vocabulary_.count(example.output);
  if (layout_->has_room(puzzle, answer)) return;
  const bool with_answer = !layout_->in_place() && answer > 0;
  throw Error(
      fmt::format("the puzzle {} has {} {}{}", in_quotes(example.input), puzzle, vocabulary_.unit(),
                  with_answer ? fmt::format(", and its answer {}", answer) : ""),
      fmt::format("{} {}{}: the model reads rows of {} tokens",
                  layout_->in_place() ? "exactly" : "at most", layout_->most_tokens(),
                  with_answer ? " together" : "", length()),
      "a model that was trained on puzzles of this size");
}

void PuzzleRows::write_puzzle(const std::string& input, data::Row row) const {
  check_room({input, ""});
  layout_->write_puzzle(vocabulary_.encode_first(input), row);
}

void PuzzleRows::write_example(const tasks::Example& example, data::Row row) const {
  check_room(example);
  const std::string output = reverse_ ? task_->reversed_output(example.output) : example.output;
  data::write_example({example.input, output}, vocabulary_, *layout_, row);
}

std::string PuzzleRows::read(std::span<const data::Token> tokens,
                             std::span<const std::uint8_t> frozen) const {
  std::string text = layout_->read_answer(vocabulary_, tokens, frozen);
  if (!reverse_) return text;
  // A malformed answer cannot be turned round and stays as it is: it is wrong either way.
  try {
    return task_->reversed_output(tasks::up_to_end(text)) + std::string(tasks::kEndName);
  } catch (const Error&) {
    return text;
  }
}

}  // namespace mgdm::spec
