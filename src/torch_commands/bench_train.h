// Measures the training speed of a recipe on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compat/kernel_profile.h"
#include "spec/recipe.h"
#include "torch_commands/device_rates.h"

namespace mgdm::torch_commands {

// The estimate: a few steps of the recipe's small version are measured, once for all recipes with
// equal steps.
double seconds_per_step(const spec::Recipe& recipe);

// The small version: fewer layers and a smaller batch, so that a step is fast and a large network
// fits into memory. Small recipes are unchanged. Networks that start from given weights get random
// ones.
spec::Recipe small_sister(const spec::Recipe& recipe, bool on_gpu);

struct TrainSpeed {
  std::int64_t parameters = 0, length = 0, batch = 0;
  double ms = 0;                   // of a step: the median turn
  std::vector<double> turns_ms{};  // all of them
  double flop = 0;  // of a step's matrix products and attention, by the shapes it computes
  std::int64_t memory_bytes = 0;             // the most that was taken on the GPU; 0 on a CPU
  std::vector<compat::KernelUse> kernels{};  // of one step, if asked for
  DeviceRates rates{};                       // measured on a GPU
  std::string device{};

  double tokens_per_second() const { return 1000 * static_cast<double>(batch * length) / ms; }
  double tflop_per_second() const { return flop / ms / 1e9; }
};

struct TrainBench {
  std::int64_t turns = 3;  // each of `steps` steps, after a warm-up
  std::int64_t steps = 20;
  bool profile = false;
};

// Trains on a few batches of the recipe's data, without logging, evaluation and saving. Nothing is
// written.
TrainSpeed bench_train(const spec::Recipe& recipe, const TrainBench& bench);

// FLOPs of a step: 2 per weight and token in the forward pass, twice that in the backward pass.
double training_flop(const spec::ModelSettings& model, std::int64_t rows, std::int64_t length);

}  // namespace mgdm::torch_commands
