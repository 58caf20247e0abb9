// Decoding under multinomial noise (D3PM): from random tokens to an answer in T passes.
//
// Such a network has never seen a [MASK]. Pass t = T-1 .. 0 draws every diffused token anew from
// p(x_{t-1} | x_t), the posterior of the noise with the network's prediction in place of x_0
// (objectives/uniform_posterior.h); the last pass takes the likeliest. Of the settings only steps
// and seed matter.
#pragma once

#include "engine/batch.h"
#include "engine/network.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

Result decode_multinomial(const Network& network, std::int64_t vocabulary, const Batch& batch,
                          const spec::DecodingSettings& settings, const OnStep& on_step = {});

}  // namespace mgdm::engine
