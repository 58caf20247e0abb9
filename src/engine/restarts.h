// Best of k: decode again with other noise until a verifier accepts the answer.
//
// Checking an answer costs nothing beside finding it, so k tries turn a network that is right with
// probability p into one that is right with 1 - (1-p)^k, if its tries were independent.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/diffusion.h"

namespace mgdm::engine {

// Is `tokens` (N), on the CPU, a right answer to row `row` of the batch?
using Verified = std::function<bool(std::int64_t row, const at::Tensor& tokens)>;

// One try: the one that the batch says.
using Decoder = std::function<Result(const Batch& batch)>;

// All on the CPU.
struct Restarts {
  Result first;               // of the first try alone: what a single try reaches
  Result best;                // the first accepted answer, else the first; passes of all tries
  at::Tensor successful_try;  // (B) int64: which try was accepted, from 0; -1 for none
};

// There are settings.tries of them, independent of each other and of the tries of other seeds; an
// example with an accepted answer is not tried again. UsageError when all tries would be the same.
Restarts decode_with_restarts(const Decoder& decoder, const Batch& batch,
                              const spec::DecodingSettings& settings, const Verified& verified);

}  // namespace mgdm::engine
