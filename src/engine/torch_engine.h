// The engine on LibTorch: whole batches on a CPU or a GPU, by the decoders of this room.
//
// A pass() decodes all waiting puzzles that share their length and settings, from start to end;
// observers see every pass of it. One who has seen enough ends its own puzzle only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/vocabulary.h"
#include "inference/engine.h"
#include "nn/model.h"

namespace mgdm::engine {

// `bf16` computes matrix products in bf16 on CUDA. `specials` are the ids of the special tokens for
// the model.
std::unique_ptr<inference::Engine> torch_engine(std::shared_ptr<nn::Model> model, bool bf16,
                                                const data::Specials& specials = {});

// The maker of engines of a program with LibTorch (inference/engine.h): this one on a GPU, and the
// one that every program has on the CPU, where it is faster; a model that it does not know (LLaMA,
// one of noised vectors) by this one. An Error says what is missing.
std::unique_ptr<inference::Engine> load_engine(const std::filesystem::path& folder,
                                               const model_files::CheckpointConfig& config,
                                               const spec::ModelCard& card,
                                               const inference::EngineSettings& settings);

// This one on any device.
std::unique_ptr<inference::Engine> load_torch_engine(const std::filesystem::path& folder,
                                                     const model_files::CheckpointConfig& config,
                                                     const spec::ModelCard& card,
                                                     const inference::EngineSettings& settings);

// UsageError for an arithmetic that this engine would leave unheeded on such a device.
void check_arithmetic(const std::string& asked, bool on_cpu);

}  // namespace mgdm::engine
