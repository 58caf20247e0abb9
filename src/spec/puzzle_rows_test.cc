#include "spec/puzzle_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace mgdm::spec {
namespace {

using data::Token;

struct Row {
  explicit Row(const PuzzleRows& rows) : tokens(rows.length()), frozen(rows.length()) {}
  data::Row spans() { return {tokens, frozen}; }

  std::vector<Token> tokens;
  std::vector<std::uint8_t> frozen;
};

// The row of an answered puzzle, carried into a view, is the row of the view answered there.
void expect_carried(const ModelCard& card, const data::Vocabulary& vocabulary) {
  const PuzzleRows rows(card, vocabulary);
  const tasks::Task& task = rows.task();
  for (std::uint32_t item = 0; item < 5; ++item) {
    SCOPED_TRACE(card.task + " " + card.layout);
    const tasks::Example example = task.generate(1, tasks::Split::kTest, item);
    Row own(rows);
    rows.write_example(example, own.spans());
    Stream random(1, Purpose::kTest, item);
    const tasks::View text = task.abilities().views->view(example.input, random);
    const data::View view = rows.view(text);

    std::vector<Token> carried = view.tokens;
    for (std::size_t n = 0; n < rows.length(); ++n) {
      EXPECT_EQ(view.frozen[view.places[n]], own.frozen[n]);
      if (!own.frozen[n]) carried[view.places[n]] = view.names[own.tokens[n]];
    }
    const std::string answer = rows.read(carried, view.frozen);
    EXPECT_TRUE(task.verify({text.input, ""}, answer.substr(0, answer.find('['))).correct)
        << answer;

    std::vector<std::size_t> places = view.places;
    std::sort(places.begin(), places.end());
    for (std::size_t n = 0; n < places.size(); ++n) EXPECT_EQ(places[n], n);
    std::vector<Token> names = view.names;
    EXPECT_EQ(names.size(), static_cast<std::size_t>(vocabulary.size()));
    std::sort(names.begin(), names.end());
    for (std::size_t v = 0; v < names.size(); ++v) EXPECT_EQ(names[v], v);
  }
}

TEST(PuzzleRows, CarryAnswersIntoViews) {
  const data::Vocabulary papers;
  expect_carried({.task = "sudoku", .layout = "in_place", .length = 81}, papers);
  expect_carried({.task = "sudoku", .layout = "seq2seq", .length = 164}, papers);
  expect_carried({.task = "planning", .layout = "seq2seq", .length = 75}, papers);
  expect_carried({.task = "countdown-4", .layout = "seq2seq", .length = 64}, papers);
  expect_carried({.task = "sat-5", .layout = "seq2seq", .length = 260}, papers);
  expect_carried({.task = "sat-7", .layout = "seq2seq", .length = 64}, data::Vocabulary("@sat-7"));
}

TEST(PuzzleRows, GivenTokensOfAViewAreThoseOfItsPuzzle) {
  const PuzzleRows rows({.task = "countdown-3", .layout = "seq2seq", .length = 40},
                        data::Vocabulary());
  const data::View view = rows.view({.input = "31,5,7,26"});
  Row own(rows);
  rows.write_puzzle("31,5,7,26", own.spans());
  EXPECT_EQ(view.frozen, own.frozen);
  for (std::size_t n = 0; n < rows.length(); ++n)
    if (own.frozen[n]) {
      EXPECT_EQ(view.tokens[n], own.tokens[n]);
    }
}

}  // namespace
}  // namespace mgdm::spec
