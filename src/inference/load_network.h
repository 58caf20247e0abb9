// Loads a model's network for answering puzzles on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "decoding/network.h"
#include "decoding/slots.h"
#include "model_files/checkpoint_config.h"
#include "spec/model_card.h"

namespace mgdm::inference {

// Where, with how many threads and in which arithmetic a network computes.
struct ComputeSettings {
  std::string device = "auto";
  std::int64_t threads = 0;
  std::string arithmetic = "auto";
  bool deterministic = false;  // says nothing on a CPU: the batch never changes an answer there

  void visit(config::Visitor& v);
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
