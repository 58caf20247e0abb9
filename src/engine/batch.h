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
  std::int64_t attempt = 0;  // which try at it this is, from 0: each has draws of its own
  at::Tensor rows = {};  // (B) int64 on the CPU: which rows of the caller's batch these are, when
                         // some are tried again; undefined for all of them
  data::Specials specials = {};  // the ids of [PAD], [EOS], ... for the model
};

struct Result {
  at::Tensor tokens;          // (B, N) int64
  at::Tensor forward_passes;  // (B) int64: passes until this example was finished
  bool stopped = false;       // by the observer
};

// What is seen after a pass. The tensors must not be changed.
struct Step {
  std::int64_t attempt = 0;   // the number of the try, from 0 ...
  std::int64_t pass = 0;      // ... and of the pass in it, from 0
  at::Tensor rows;            // (B) int64 on the CPU: which rows of the caller's batch follow
  at::Tensor forward_passes;  // (B) int64: of each row so far; as before where it is finished
  at::Tensor tokens;          // (B, N), [MASK] where nothing is shown yet
  at::Tensor confidence;      // (B, N): the probability the network gave its predictions; 1 where
                              // frozen
};
Step step_of(const Batch& batch, std::int64_t pass, const at::Tensor& forward_passes,
             const at::Tensor& tokens, const at::Tensor& confidence);

// Called after every pass. Returning false stops decoding there and then, further tries included.
using OnStep = std::function<bool(const Step& step)>;

// Uniform draws (B, columns) for a pass of the batch's try, keyed by (seed, kDecode, item,
// decoding::draw_step(attempt, pass)).
at::Tensor draws(const Batch& batch, std::int64_t seed, std::int64_t pass, std::int64_t columns);

// The tokens before the first pass: (B, N), [MASK] wherever not frozen.
at::Tensor all_masked(const Batch& batch);

}  // namespace mgdm::engine
