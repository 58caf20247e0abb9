#include "spec/puzzle_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"
#include "tasks/special_tokens.h"

namespace mgdm::spec {

PuzzleRows::PuzzleRows(const ModelCard& card, data::Vocabulary vocabulary,
                       std::shared_ptr<const tasks::Task> task)
    : reverse_(card.reverse),
      vocabulary_(std::move(vocabulary)),
      task_(task ? std::move(task) : task_of(card)),
      layout_(
          data::make_layout(card.layout, static_cast<int>(card.length), vocabulary_, card.blank)) {}

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
      "mgdm solve --exact, or a model that was trained on puzzles of this size");
}

void PuzzleRows::write_puzzle(const std::string& input, data::Row row) const {
  check_room({input, ""});
  layout_->write_puzzle(vocabulary_.encode_first(input), row);
}

void PuzzleRows::write_example(const tasks::Example& example, data::Row row) const {
  check_room(example);
  const std::string output =
      reverse_ ? tasks::reversed_output(*task_, example.output) : example.output;
  data::write_example({example.input, output}, vocabulary_, *layout_, row);
}

data::View PuzzleRows::view(const tasks::View& view) const {
  data::View seen;
  seen.tokens.resize(length());
  seen.frozen.resize(length());
  write_puzzle(view.input, {seen.tokens, seen.frozen});

  seen.places.resize(length());
  std::iota(seen.places.begin(), seen.places.end(), std::size_t{0});
  MGDM_CHECK(view.places.empty() || !reverse_);  // places are those of the answer as it is written
  const std::size_t begin = layout_->answer_begin(seen.frozen);
  for (std::size_t i = 0; i < view.places.size(); ++i)
    seen.places.at(begin + i) = begin + view.places[i];

  seen.names.resize(static_cast<std::size_t>(vocabulary_.size()));
  std::iota(seen.names.begin(), seen.names.end(), data::Token{0});
  const auto token = [&](char letter) { return vocabulary_.encode({&letter, 1}).front(); };
  for (const auto& [from, to] : view.letters) seen.names[token(from)] = token(to);
  return seen;
}

std::string PuzzleRows::read(std::span<const data::Token> tokens,
                             std::span<const std::uint8_t> frozen) const {
  std::string text = layout_->read_answer(vocabulary_, tokens, frozen);
  if (!reverse_) return text;
  // A malformed answer cannot be turned round and stays as it is: it is wrong either way.
  try {
    return tasks::reversed_output(*task_, tasks::up_to_end(text)) + std::string(tasks::kEndName);
  } catch (const Error&) {
    return text;
  }
}

}  // namespace mgdm::spec
