// Runs a model's network on the CPU: the decoders' view of it (decoding/network.h) from the files
// of a folder, without LibTorch.
//
//   const model_files::CheckpointConfig config = model_files::read_config(folder);
//   auto network = runtime::load_network(folder, config.settings, {.threads = 2});
//   network->logits(rows, /*loops=*/0, logits);
//
// The logits of a row are the same, bit for bit, whatever rows are beside it and however many
// threads there are.
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

// Whether such a network can be run here.
bool knows(const spec::ModelSettings& settings);

// An Error names what is wrong with the files: a tensor that is missing, of another shape, or not
// finite; an architecture that is not known here.
std::unique_ptr<decoding::Network> load_network(const std::filesystem::path& folder,
                                                const spec::ModelSettings& settings,
                                                const Options& options = {});

}  // namespace mgdm::runtime
