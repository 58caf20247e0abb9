// Decoding of VDM: from random vectors to an answer in T passes.
//
// Pass k = 0..T-1 shows the network the vectors z_t at t = 1 - k/(T-1) and what it guessed in the
// pass before. Its logits are a new guess, x_hat, the expected vectors. From it every pass but the
// last goes back to the time s of the next one, by the posterior of the noise q(z_s | z_t, x_hat):
//
//   z_s = alpha_s ((1 - c) z_t / alpha_t + c x_hat) + sigma_s sqrt(c) eps
//   c   = 1 - exp(gamma_s - gamma_t)
//
// The last, at t = 0 (a single one at t = 1), answers with the likeliest tokens. Of the settings
// only steps and seed matter. Given positions are shown as they are in every pass.
#pragma once

#include "engine/batch.h"
#include "nn/model.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

// By a model that reads vectors (settings.vectors > 0), in bf16 mixed precision on CUDA if asked.
Result decode_ancestral(nn::Model& model, const Batch& batch,
                        const spec::DecodingSettings& settings, const OnStep& on_step = {},
                        bool bf16 = false);

}  // namespace mgdm::engine
