// Measures the speed of a model on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compat/kernel_profile.h"
#include "inference/load_network.h"
#include "spec/recipe.h"
#include "torch_commands/device_rates.h"

namespace mgdm::torch_commands {

struct DecodeSpeed {
  std::int64_t parameters = 0, length = 0, batch = 0, steps = 0;
  double passes = 0;                    // of the network over a batch: those of its slowest puzzle
  double ms = 0;                        // of a batch: the median turn
  std::vector<double> turns_ms{};       // all of them
  double flop = 0;                      // of a pass's matrix products and attention, by the shapes
  std::int64_t memory_bytes = 0;        // the most that was taken on the GPU; 0 on a CPU
  std::int64_t compared = 0, same = 0;  // answers beside those of the plain path
  std::vector<compat::KernelUse> kernels{};  // of one batch, if asked for
  DeviceRates rates{};                       // measured on a GPU
  std::string device{};

  double ms_per_pass() const { return ms / passes; }
  double puzzles_per_second() const { return 1000 * static_cast<double>(batch) / ms; }
  double tflop_per_second() const { return flop / ms_per_pass() / 1e9; }
};

struct DecodeBench {
  std::int64_t batch = 1, turns = 3;
  std::int64_t steps = 0;  // T; 0: as the model says
  bool profile = false;
};

// Measures the model of a folder on puzzles of its task. Before timing, its answers to a few
// puzzles are compared with those of LibTorch's decoder. A few may differ at near ties; more than a
// tenth of the tokens is an Error.
DecodeSpeed bench_decode(const std::filesystem::path& folder,
                         const inference::ComputeSettings& compute, const DecodeBench& bench);

// Writes the untrained model of a recipe into an existing folder, with random weights that seldom
// give near ties, unless the recipe starts from a model.
void write_untrained(const std::filesystem::path& folder, const spec::Recipe& recipe);

}  // namespace mgdm::torch_commands
