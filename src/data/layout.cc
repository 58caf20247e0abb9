#include "data/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::data {
namespace {

class Seq2Seq : public Layout {
 public:
  Seq2Seq(int length, const Specials& specials) : Layout(length), specials_(specials) {}

  std::string name() const override { return "seq2seq"; }
  bool in_place() const override { return false; }
  std::size_t most_tokens() const override {
    return static_cast<std::size_t>(std::max(0, length() - 2));  // [SEP] and [EOS]
  }
  bool has_room(std::size_t input_length, std::size_t output_length) const override {
    return input_length + output_length <= most_tokens();
  }

  void check_fits(std::size_t input_length, std::size_t output_length) const override {
    const std::size_t needed = input_length + output_length + 2;  // [SEP] and [EOS]
    if (needed > static_cast<std::size_t>(length()))
      throw Error(fmt::format("an input of {} and an output of {} tokens need {}", input_length,
                              output_length, needed),
                  fmt::format("at most {} tokens", length()), "a larger sequence length");
  }

  void write(std::span<const Token> input, std::span<const Token> output, Row row) const override {
    auto next = std::copy(input.begin(), input.end(), row.tokens.begin());
    *next++ = specials_.sep;
    const auto frozen = next - row.tokens.begin();
    next = std::copy(output.begin(), output.end(), next);
    *next++ = specials_.eos;
    std::fill(next, row.tokens.end(), specials_.pad);
    std::fill(row.frozen.begin(), row.frozen.begin() + frozen, std::uint8_t{1});
    std::fill(row.frozen.begin() + frozen, row.frozen.end(), std::uint8_t{0});
  }

  void write_puzzle(std::span<const Token> input, Row row) const override { write(input, {}, row); }

  std::size_t answer_begin(std::span<const std::uint8_t> frozen) const override {
    return static_cast<std::size_t>(std::find(frozen.begin(), frozen.end(), std::uint8_t{0}) -
                                    frozen.begin());
  }

 protected:
  const Specials specials_;
};

// Pieces hold [SEP] and [EOS] themselves.
class Long : public Seq2Seq {
 public:
  using Seq2Seq::Seq2Seq;

  std::string name() const override { return "long"; }
  bool has_room(std::size_t input_length, std::size_t) const override {
    return input_length < most_tokens();  // with one token of the answer
  }

  void check_fits(std::size_t input_length, std::size_t) const override {
    if (!has_room(input_length, 0))
      throw Error(fmt::format("an input of {} tokens", input_length),
                  fmt::format("less than {}: rows have {} tokens", most_tokens(), length()),
                  "a larger sequence length");
  }

  std::vector<Piece> pieces(std::vector<Token> input, std::vector<Token> output) const override {
    check_fits(input.size(), output.size());
    input.push_back(specials_.sep);
    output.push_back(specials_.eos);
    const auto row = static_cast<std::size_t>(length());
    std::vector<Piece> all;
    std::span<const Token> rest(output);
    const auto add = [&](std::vector<Token> given) {
      const std::span<const Token> head = rest.first(std::min(row - given.size(), rest.size()));
      all.push_back({std::move(given), {head.begin(), head.end()}});
      rest = rest.subspan(head.size());
    };
    add(std::move(input));
    while (!rest.empty()) {
      const Token first = rest.front();
      rest = rest.subspan(1);
      add({first});
    }
    return all;
  }

  void write(std::span<const Token> input, std::span<const Token> output, Row row) const override {
    const auto answer = std::copy(input.begin(), input.end(), row.tokens.begin());
    std::fill(std::copy(output.begin(), output.end(), answer), row.tokens.end(), specials_.pad);
    const auto frozen = answer - row.tokens.begin();
    std::fill(row.frozen.begin(), row.frozen.begin() + frozen, std::uint8_t{1});
    std::fill(row.frozen.begin() + frozen, row.frozen.end(), std::uint8_t{0});
  }

  void write_puzzle(std::span<const Token> input, Row row) const override {
    Seq2Seq::write(input, {}, row);
  }
};

class InPlace : public Layout {
 public:
  InPlace(int length, Token blank) : Layout(length), blank_(blank) {}

  std::string name() const override { return "in_place"; }
  bool in_place() const override { return true; }
  std::size_t most_tokens() const override { return static_cast<std::size_t>(length()); }
  bool has_room(std::size_t input_length, std::size_t) const override {
    return input_length == most_tokens();
  }

  void check_fits(std::size_t input_length, std::size_t output_length) const override {
    const auto needed = static_cast<std::size_t>(length());
    if (input_length != needed || output_length != needed)
      throw Error(
          fmt::format("an input of {} and an output of {} tokens", input_length, output_length),
          fmt::format("both of {}, for the in_place layout", needed));
  }

  void write(std::span<const Token> input, std::span<const Token> output, Row row) const override {
    for (std::size_t i = 0; i < input.size(); ++i) {
      const bool given = input[i] != blank_;
      row.frozen[i] = given ? 1 : 0;
      row.tokens[i] = given ? input[i] : output[i];
    }
  }

  void write_puzzle(std::span<const Token> input, Row row) const override {
    write(input, input, row);
  }

  std::size_t answer_begin(std::span<const std::uint8_t>) const override { return 0; }

 private:
  const Token blank_;
};

}  // namespace

std::unique_ptr<Layout> make_seq2seq(int length, const Specials& specials) {
  return std::make_unique<Seq2Seq>(length, specials);
}

std::unique_ptr<Layout> make_long(int length, const Specials& specials) {
  return std::make_unique<Long>(length, specials);
}

std::unique_ptr<Layout> make_in_place(int length, Token blank) {
  return std::make_unique<InPlace>(length, blank);
}

std::unique_ptr<Layout> make_layout(std::string_view name, int length, const Vocabulary& vocabulary,
                                    std::string_view blank) {
  if (name == "seq2seq") return make_seq2seq(length, vocabulary.specials());
  if (name == "long") return make_long(length, vocabulary.specials());
  if (name == "in_place") {
    const std::vector<Token> tokens = vocabulary.encode(blank);
    if (tokens.size() != 1)
      throw UsageError(fmt::format("data.blank = {}", in_quotes(blank)), "one character");
    return make_in_place(length, tokens.front());
  }
  throw UsageError(fmt::format("unknown layout {}", in_quotes(name)), "seq2seq, in_place or long");
}

void write_example(const tasks::Example& example, const Vocabulary& vocabulary,
                   const Layout& layout, Row row) {
  const std::vector<Piece> pieces =
      layout.pieces(vocabulary.encode_first(example.input), vocabulary.encode(example.output));
  layout.write(pieces.front().input, pieces.front().output, row);
}

std::vector<Token> carried_back(const View& view, std::span<const Token> there,
                                std::span<const Token> tokens,
                                std::span<const std::uint8_t> frozen) {
  std::vector<Token> meaning(view.names.size()), carried(tokens.begin(), tokens.end());
  for (std::size_t v = 0; v < meaning.size(); ++v) meaning[view.names[v]] = static_cast<Token>(v);
  for (std::size_t n = 0; n < carried.size(); ++n)
    if (!frozen[n]) carried[n] = meaning.at(there[view.places[n]]);
  return carried;
}

}  // namespace mgdm::data
