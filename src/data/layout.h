// The layout of an example in a row of tokens, and reading an answer back from it.
//
//   seq2seq    input [SEP] output [EOS] [PAD] [PAD] ...     the paper's; input and [SEP] are frozen
//   in_place   the output itself, given positions frozen    Sudoku: 81 cells instead of 164 tokens
//   long       as seq2seq, cut into as many rows as it takes: a search, for models that go left to
//              right. Rows after the first begin in the middle of the output, and only the last one
//              has an [EOS]; their first token is frozen, for nothing stands before it.
//
// Frozen positions are never masked. Every other position is diffused and counted in the loss,
// including the [PAD]s after [EOS], by which a model learns the length of an answer.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/rows.h"
#include "data/vocabulary.h"
#include "tasks/task.h"

namespace mgdm::data {

// The part of an example that is written into one row.
struct Piece {
  std::vector<Token> input, output;
};

class Layout {
 public:
  explicit Layout(int length) : length_(length) {}
  virtual ~Layout() = default;

  int length() const { return length_; }

  virtual std::string name() const = 0;

  // Whether the answer replaces the puzzle rather than following it.
  virtual bool in_place() const = 0;

  // The most tokens that a puzzle and its answer can have: together, or each of them in_place.
  virtual std::size_t most_tokens() const = 0;

  // Whether a puzzle fits with its answer, or without one (0 tokens).
  virtual bool has_room(std::size_t input_length, std::size_t output_length) const = 0;

  // Error when an example with these lengths does not fit.
  virtual void check_fits(std::size_t input_length, std::size_t output_length) const = 0;

  // The pieces of an example, one per row. Error when it does not fit.
  virtual std::vector<Piece> pieces(std::vector<Token> input, std::vector<Token> output) const {
    check_fits(input.size(), output.size());
    return {{std::move(input), std::move(output)}};
  }

  // Fills a row with a piece.
  virtual void write(std::span<const Token> input, std::span<const Token> output,
                     Row row) const = 0;

  // Fills a row with a puzzle without an answer; the tokens at positions to fill in are arbitrary.
  virtual void write_puzzle(std::span<const Token> input, Row row) const = 0;

  // Where the answer begins in a row; it ends with the row.
  virtual std::size_t answer_begin(std::span<const std::uint8_t> frozen) const = 0;

  // The answer as text, special tokens by name, as tasks::judge takes it.
  std::string read_answer(const Vocabulary& vocabulary, std::span<const Token> tokens,
                          std::span<const std::uint8_t> frozen) const {
    return vocabulary.decode(tokens.subspan(answer_begin(frozen)));
  }

 private:
  const int length_;
};

// `blank` is the in_place input character that marks a position to fill in.
std::unique_ptr<Layout> make_seq2seq(int length, const Specials& specials = {});
std::unique_ptr<Layout> make_in_place(int length, Token blank);
std::unique_ptr<Layout> make_long(int length, const Specials& specials = {});

// Makes a layout by its name in recipes and checkpoints. Throws a UsageError for another name, and
// for a blank that is not one token.
std::unique_ptr<Layout> make_layout(std::string_view name, int length, const Vocabulary& vocabulary,
                                    std::string_view blank = "0");

// Fills a row with an example: the first row of those that it takes. Error when it does not fit.
void write_example(const tasks::Example& example, const Vocabulary& vocabulary,
                   const Layout& layout, Row row);

}  // namespace mgdm::data
