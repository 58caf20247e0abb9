// A puzzle's row as a symmetry of its task shows it: tasks/task.h view(), in tokens.
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
  // (N): position n of the puzzle's row stands there in the view's. A permutation that takes
  // positions to fill in to such positions.
  std::vector<std::size_t> places;
  std::vector<Token> names;  // (V): what token v is called there. A permutation.
};

// The puzzle's own row, `tokens` where `frozen`, with what a row of the view says in it.
std::vector<Token> carried_back(const View& view, std::span<const Token> there,
                                std::span<const Token> tokens,
                                std::span<const std::uint8_t> frozen);

}  // namespace mgdm::data
