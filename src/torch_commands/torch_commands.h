// What the commands that need LibTorch do.
#pragma once

#include "cli/cli.h"
#include "cli/heavy_commands.h"

namespace mgdm::torch_commands {

void train(const cli::TrainSettings& settings);
void bench_signature(cli::BenchSettings settings);
void bench_training(cli::BenchSettings settings);
void bench_decoding(cli::BenchSettings settings);

// All that this half adds to the program.
cli::Program program();

}  // namespace mgdm::torch_commands
