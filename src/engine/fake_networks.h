// Networks without weights, behind the real interface: decoders, evaluators and servers are tested
// with them. Each row's logits depend on that row alone, bit for bit.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/network.h"

namespace mgdm::engine {

// Logits uniform over [0, scale), drawn anew for every different row of tokens.
Network random_network(std::uint64_t seed, std::int64_t vocabulary, double scale = 4);

// Knows the right answers (K, N) and how difficult each position is, (K, N) int64. A row is about
// the first answer that agrees with all its frozen tokens. A position of difficulty d is predicted
// right, with probability near 1 that falls with d, once at least d of the diffused positions show
// their right token, and wrong with low probability before: so easy positions must come first.
Network oracle_network(const at::Tensor& answers, const at::Tensor& difficulty,
                       std::int64_t vocabulary);

// Gives recorded logits, one tensor (B, N, V) per call; the last one again when they run out.
Network replay_network(std::vector<at::Tensor> logits);

}  // namespace mgdm::engine
