// Decoding under multinomial noise (D3PM) on tensors: it gives what decoding/multinomial.h gives,
// which says what it does; the posterior is that of objectives/uniform_posterior.h.
#pragma once

#include "engine/batch.h"
#include "engine/network.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

Result decode_multinomial(const Network& network, std::int64_t vocabulary, const Batch& batch,
                          const spec::DecodingSettings& settings, const OnStep& on_step = {});

}  // namespace mgdm::engine
