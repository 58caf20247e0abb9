// Decoding by diffusion: from all [MASK] to an answer in at most T passes of the network.
//
// Every pass predicts each diffused position; an order (orders.h) says which positions are masked
// after it, the others show their token. `revise` says what happens to tokens already shown:
//
//   on      they take the new prediction, and may be masked again (the paper's TopK)
//   remask  they keep their value until they are masked again (RDM)
//   off     they stay as they are
//
// Only topk and margin mask again. `auto` is off here: DecodingSettings::resolved knows better.
// With steps = 1 everything is predicted at once, which is how a teacherless model decodes.
//
// An example is finished when nothing is masked and its order masks nothing again, so that fewer
// than T passes may be needed. With early_stop it is also finished when two passes in a row give
// the same complete answer and every prediction in it is surer than the threshold; later passes
// could, but hardly would, have changed it.
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
