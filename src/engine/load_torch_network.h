// LibTorch's networks for the room inference.
#pragma once

#include <memory>
#include <string>

#include "inference/load_network.h"
#include "nn/model.h"

namespace mgdm::engine {

// The network of a model in this process, such as one in training. `bf16` computes matmuls in bf16
// on CUDA; `deterministic` as in inference::ComputeSettings.
inference::LoadedNetwork torch_network(std::shared_ptr<nn::Model> model, bool bf16,
                                       bool deterministic = false);

// The loader of a program with LibTorch: LibTorch on a GPU; on the CPU the room runtime, which is
// faster there, and LibTorch for the models that runtime does not know (LLaMA, noised vectors).
inference::LoadedNetwork load_network(const std::filesystem::path& folder,
                                      const model_files::CheckpointConfig& config,
                                      const spec::ModelCard& card,
                                      const inference::ComputeSettings& settings);

// LibTorch on any device.
inference::LoadedNetwork load_torch_network(const std::filesystem::path& folder,
                                            const model_files::CheckpointConfig& config,
                                            const spec::ModelCard& card,
                                            const inference::ComputeSettings& settings);

// UsageError for an arithmetic that LibTorch's networks do not offer on such a device.
void check_arithmetic(const std::string& asked, bool on_cpu);

}  // namespace mgdm::engine
