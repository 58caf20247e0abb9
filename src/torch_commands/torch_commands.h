// Implements the work of commands that needs LibTorch (cli/torch_work.h).
#pragma once

#include <memory>

#include "cli/torch_work.h"

namespace mgdm::torch_commands {

std::unique_ptr<cli::TorchWork> torch_work();

void bench_signature(cli::BenchSettings settings);
void bench_training(cli::BenchSettings settings);
void bench_decoding(cli::BenchSettings settings);

}  // namespace mgdm::torch_commands
