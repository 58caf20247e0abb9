// The orders in which tokens are revealed. After a pass of the network over a puzzle, an order
// decides which positions are masked.
//
//   topk       the positions whose score is below a cut-off, the floor(L t/T)-th smallest score
//              counted from 0; score = log-probability + noise (paper)
//   margin     the same with score p1 - p2, the lead of the best token (Kim et al. 2025)
//   random     each masked position stays masked with probability t/(t+1) (D3PM)
//   threshold  the masked positions whose confidence is at most the threshold
//   entropy    all but the largest set of masked positions whose entropies sum to at most the bound
//
// Scores that tie with the cut-off are shown, so topk and margin may mask fewer than floor(L t/T)
// positions, as in the released code. The last two show at least the most confident position per
// pass. L is the number of diffused positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/kinds.h"
#include "decoding/decoding_settings.h"

namespace mgdm::decoding {

struct Pass {
  std::int64_t t = 0;                      // T-1 in the first pass, 0 in the last
  std::size_t diffused = 0;                // L
  std::span<const std::uint8_t> eligible;  // (N): what may be masked after it
  std::span<const std::uint8_t> masked;    // (N): what was masked before it
  std::span<const float> log_probs;        // (N, V); read where eligible or masked
  std::span<const float> score;            // (N) log-probability of the predicted token
  std::span<const float> draws;            // (N) uniform over [0, 1); empty: nothing is stochastic
};

// Fills in mask (N), a subset of pass.eligible. Not called at t = 0, when everything is shown.
using Order = void (*)(const Pass& pass, const DecodingSettings& settings,
                       std::span<std::uint8_t> mask);

// An order: a new one is a function and a row in orders.cc. On a GPU the plain decoder runs it
// unless engine/decoding_kernels.cc names a kernel.
struct OrderKind {
  std::string_view name, about;
  bool by_score;       // masks the lowest scores, so that a shown position can be masked again
  bool random;         // draws even without noise
  config::Keys reads;  // settings that only some orders read
  Order choose;
};

std::span<const OrderKind> order_kinds();
const OrderKind& order_kind(std::string_view name);  // UsageError for an unknown one

// The number of positions, of L, that the schedule masks after pass t.
std::size_t masked_count(std::size_t diffused, std::int64_t t, const DecodingSettings& settings);

// The positions whose score is below the `count`-th smallest (from 0) of those eligible; all
// eligible ones when they are not that many.
void below_cutoff(std::span<const float> score, std::span<const std::uint8_t> eligible,
                  std::size_t count, std::span<std::uint8_t> mask);

// The `count` lowest-scoring of the masked positions, but at least one fewer than there are. Of
// equal scores the earlier position counts as lower.
void all_but_surest(std::span<const float> score, std::span<const std::uint8_t> masked,
                    std::size_t count, std::span<std::uint8_t> mask);

}  // namespace mgdm::decoding
