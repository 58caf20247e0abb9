// Loads a model's network for answering puzzles on a device.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decoding/network.h"
#include "decoding/slots.h"
#include "model_files/checkpoint_config.h"
#include "spec/model_card.h"

namespace mgdm::inference {

struct ComputeSettings {
  std::string device = "auto";      // cpu, cuda, cuda:N, or auto: CUDA where there is one
  int threads = 0;                  // 0: all cores that the process may use
  std::string arithmetic = "auto";  // on a CPU: fp32, bf16, int8, or auto: what the card names
  // On a GPU, solve one puzzle at a time, so that the batch cannot change an answer by rounding. On
  // a CPU it never does.
  bool deterministic = false;
};

// Two cores decode 16 puzzles at a time as fast as 256 (measured for each kind of shipped model).
inline constexpr std::size_t kEnoughForAThread = 8;

struct LoadedNetwork {
  std::unique_ptr<decoding::Network> network = {};
  // These decode the tries that they accept; the plain decoders over `network` decode the others.
  std::vector<std::unique_ptr<decoding::BatchDecoder>> decoders = {};
  std::string device = {};          // for people: "NVIDIA H200"
  std::string arithmetic = "fp32";  // of matrix products: "fp32", "bf16" or "int8"
  // With this many slots a puzzle takes no longer than with more, and first answers come sooner.
  std::size_t enough = kEnoughForAThread;
};

// Loads the network of a model folder.
using NetworkLoader = std::function<LoadedNetwork(
    const std::filesystem::path& folder, const model_files::CheckpointConfig& config,
    const spec::ModelCard& card, const ComputeSettings& settings)>;

// A program with LibTorch registers its loader. Without one, networks run on the CPU by the room
// runtime.
void use_network_loader(NetworkLoader loader);

// Whether this program can run a network with these settings.
bool can_run(const spec::ModelSettings& settings);

LoadedNetwork load_network(const std::filesystem::path& folder,
                           const model_files::CheckpointConfig& config, const spec::ModelCard& card,
                           const ComputeSettings& settings);

// The NetworkLoader of the room runtime. Error for a device other than the CPU, for a network that
// runtime does not know, and in a program built without runtime.
LoadedNetwork load_cpu_network(const std::filesystem::path& folder,
                               const model_files::CheckpointConfig& config,
                               const spec::ModelCard& card, const ComputeSettings& settings);

}  // namespace mgdm::inference
