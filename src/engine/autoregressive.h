// Greedy decoding from left to right with a causal model.
#pragma once

#include "engine/batch.h"
#include "nn/model.h"

namespace mgdm::engine {

// Every position that is not frozen takes the likeliest token given those before it; after [EOS]
// come [PAD]s. The first position must be frozen. Examples may differ in the length of their
// frozen part. A forward pass is counted for each token an example predicted. `cached` = false
// reads the whole sequence again for every token: slower, for comparison.
Result decode_autoregressive(nn::Model& model, const Batch& batch, const OnStep& on_step = {},
                             bool bf16 = false, bool cached = true);

}  // namespace mgdm::engine
