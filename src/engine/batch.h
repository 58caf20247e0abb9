// What every decoder takes and gives.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "data/vocabulary.h"
#include "nn/batch_tensors.h"

namespace mgdm::engine {

// Puzzles: what stands at positions that are not frozen is ignored.
struct Batch : nn::TensorRows {
  std::int64_t attempt = 0;      // which try at it this is, from 0: each has draws of its own
  data::Specials specials = {};  // the ids of [PAD], [EOS], ... for the model
};

struct Result {
  at::Tensor tokens;          // (B, N) int64
  at::Tensor forward_passes;  // (B) int64: passes until this example was finished
};

// What is seen after a pass. The tensors must not be changed.
struct Step {
  std::int64_t pass = 0;      // its number, from 0
  at::Tensor forward_passes;  // (B) int64: of each row so far; as before where it is finished
  at::Tensor tokens;          // (B, N), [MASK] where nothing is shown yet
  at::Tensor confidence;      // (B, N): the probability the network gave its predictions; 1 where
                              // frozen
};

// Called after every pass. Returning false stops decoding there and then.
using OnStep = std::function<bool(const Step& step)>;

// Uniform draws (B, columns) for a pass of the batch's try, keyed by (seed, kDecode, item,
// decoding::draw_step(attempt, pass)).
at::Tensor draws(const Batch& batch, std::int64_t seed, std::int64_t pass, std::int64_t columns);

// The tokens before the first pass: (B, N), [MASK] wherever not frozen.
at::Tensor all_masked(const Batch& batch);

}  // namespace mgdm::engine
