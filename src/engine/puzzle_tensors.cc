#include "engine/puzzle_tensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "base/error.h"
#include "decoding/draws.h"

namespace mgdm::engine {

PuzzleTensors tensors_of(std::span<const decoding::Try> tries, c10::Device device) {
  data::Rows rows(tries.size(), tries.front().puzzle.tokens.size());
  const at::Tensor first_draw = at::empty({std::ssize(tries)}, at::kLong);
  for (std::size_t i = 0; i < tries.size(); ++i) {
    const decoding::Puzzle& puzzle = tries[i].puzzle;
    MGDM_CHECK(puzzle.tokens.size() == rows.length && puzzle.frozen.size() == rows.length);
    std::ranges::copy(puzzle.frozen, rows[i].frozen.begin());
    for (std::size_t n = 0; n < rows.length; ++n)
      rows[i].tokens[n] = puzzle.frozen[n] ? puzzle.tokens[n] : puzzle.specials.mask;
    rows.items[i] = puzzle.item;
    first_draw.data_ptr<std::int64_t>()[i] = decoding::draw_step(puzzle.attempt, 0);
  }
  return {nn::tensors_of(rows, device), first_draw.to(device)};
}

}  // namespace mgdm::engine
