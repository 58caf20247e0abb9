// Loads a model's network for the CPU, without LibTorch, as a decoding::Network.
//
//   const model_files::CheckpointConfig config = model_files::read_config(folder);
//   auto network = runtime::load_network(folder, config.settings, {.threads = 2});
//   network->logits(rows, /*loops=*/0, logits);
//
// The logits of a row do not depend on the other rows or on the number of threads, bit for bit.
#pragma once

#include <filesystem>
#include <memory>

#include "decoding/network.h"
#include "runtime/weight_matrix.h"
#include "spec/model_settings.h"

namespace mgdm::runtime {

struct Options {
  int threads = 0;                            // 0 = all cores that the process may use
  Arithmetic arithmetic = Arithmetic::kFp32;  // of the weights' products
};

// Whether this room can run such a network.
bool knows(const spec::ModelSettings& settings);

// Error when a tensor is missing, of another shape or not finite, or the architecture is unknown.
std::unique_ptr<decoding::Network> load_network(const std::filesystem::path& folder,
                                                const spec::ModelSettings& settings,
                                                const Options& options = {});

}  // namespace mgdm::runtime
