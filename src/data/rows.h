// Rows of tokens: the form in which networks, losses and decoders take puzzles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/vocabulary.h"

namespace mgdm::data {

// One row. frozen is 1 where the token is given and never changes, else 0.
struct Row {
  std::span<Token> tokens;         // (N)
  std::span<std::uint8_t> frozen;  // (N)
};

// B rows of N tokens, one behind the other.
struct Rows {
  Rows() = default;
  Rows(std::size_t count, std::size_t row_length)
      : length(row_length), tokens(count * length), frozen(count * length), items(count) {}

  std::size_t count() const { return items.size(); }
  Row operator[](std::size_t row) {
    return {std::span(tokens).subspan(row * length, length),
            std::span(frozen).subspan(row * length, length)};
  }

  std::size_t length = 0;            // N
  std::vector<Token> tokens;         // (B, N)
  std::vector<std::uint8_t> frozen;  // (B, N)
  std::vector<std::uint32_t> items;  // (B) the examples' numbers, which key their random draws
};

// Rows that are not owned.
struct RowsView {
  std::size_t count = 0, length = 0;     // B, N
  std::span<const Token> tokens;         // (B, N)
  std::span<const std::uint8_t> frozen;  // (B, N)
};

// A symmetric variant of a puzzle as a row of tokens: tasks/task.h view().
struct View {
  std::vector<Token> tokens;         // (N): what is given in the view's own row
  std::vector<std::uint8_t> frozen;  // (N)
  // (N): position n of the puzzle's row is position places[n] of the view's. A permutation that
  // maps positions to fill in to such positions.
  std::vector<std::size_t> places;
  std::vector<Token> names;  // (V): the token that replaces token v. A permutation.
};

// The puzzle's own row, `tokens` where `frozen`, with the answer of a row of the view.
std::vector<Token> carried_back(const View& view, std::span<const Token> there,
                                std::span<const Token> tokens,
                                std::span<const std::uint8_t> frozen);

}  // namespace mgdm::data
