// Decoding by diffusion on tensors, for a whole batch at once: it gives what decoding/diffusion.h
// gives, which says what it does. agreement_test.cc holds the two together.
//
// Draws are keyed by seed, item, try and pass (batch.h), so an example's answer does not depend on
// the batch it is in.
#pragma once

#include "engine/batch.h"
#include "engine/network.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

Result decode(const Network& network, const Batch& batch, const spec::DecodingSettings& settings,
              const OnStep& on_step = {});

}  // namespace mgdm::engine
