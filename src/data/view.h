// A symmetric variant of a puzzle as a row of tokens: tasks/task.h view().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/vocabulary.h"

namespace mgdm::data {

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
