// What decodes puzzles: the plain decoders over a network of the CPU, or those of a GPU.
//
// An engine has slots, as decoding/slots.h describes them: puzzles join and leave between passes.
// One that decodes whole batches at once (a GPU) may do many passes in one pass() and tells
// observers all of them; the answer to a puzzle is the same.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decoding/slots.h"
#include "model_files/checkpoint_config.h"
#include "spec/model_card.h"

namespace mgdm::inference {

class Engine {
 public:
  virtual ~Engine() = default;

  virtual decoding::SlotId join(decoding::Request request) = 0;
  virtual bool cancel(decoding::SlotId slot) = 0;
  virtual std::size_t active() const = 0;
  virtual std::vector<decoding::Finished> pass() = 0;

  // With so many slots a puzzle takes as little time as with more of them, and the first answers
  // come sooner.
  virtual std::size_t enough() const = 0;

  // Where it computes, for people: "NVIDIA H200".
  virtual std::string device() const = 0;

  // What its matrix products are computed in: "fp32", "bf16" or "int8".
  virtual std::string arithmetic() const = 0;
};

// On a CPU: 16 puzzles on two cores go as fast as 256 (measured for each kind of shipped model).
inline constexpr std::size_t kEnoughForAThread = 8;

// The plain decoders over a network.
std::unique_ptr<Engine> slot_engine(std::unique_ptr<decoding::Network> network, std::string device,
                                    std::string arithmetic = "fp32",
                                    std::size_t enough = kEnoughForAThread);

struct EngineSettings {
  std::string device = "auto";      // cpu, cuda, cuda:N, or auto: CUDA where there is one
  int threads = 0;                  // 0 = all cores that the process may use
  std::string arithmetic = "auto";  // on a CPU: fp32, bf16, int8, or auto: what the card names
};

// Loads the model of a folder.
using EngineMaker = std::function<std::unique_ptr<Engine>(
    const std::filesystem::path& folder, const model_files::CheckpointConfig& config,
    const spec::ModelCard& card, const EngineSettings& settings)>;

// A program that has other engines (on LibTorch) says so; without, models run on the CPU by the
// room runtime.
void use_engines(EngineMaker maker);

// Whether this program can answer by such a network.
bool takes(const spec::ModelSettings& settings);
std::unique_ptr<Engine> make_engine(const std::filesystem::path& folder,
                                    const model_files::CheckpointConfig& config,
                                    const spec::ModelCard& card, const EngineSettings& settings);

}  // namespace mgdm::inference
