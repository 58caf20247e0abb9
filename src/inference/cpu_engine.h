// The engine that every program has: the plain decoders over a network of the room runtime.
#pragma once

#include "inference/engine.h"

namespace mgdm::inference {

// An EngineMaker. An Error for a device other than the CPU, and for a model that the room runtime
// does not know or this program was built without it.
std::unique_ptr<Engine> load_cpu_engine(const std::filesystem::path& folder,
                                        const model_files::CheckpointConfig& config,
                                        const spec::ModelCard& card,
                                        const EngineSettings& settings);

// Whether it knows such a network.
bool cpu_engine_takes(const spec::ModelSettings& settings);

}  // namespace mgdm::inference
