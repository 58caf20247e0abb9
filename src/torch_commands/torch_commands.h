// Implements the work of commands that needs LibTorch (cli/torch_work.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/torch_work.h"
#include "evaluation/loss_table.h"
#include "spec/recipe.h"

namespace mgdm::torch_commands {

std::unique_ptr<cli::TorchWork> torch_work();

// Prepares a recipe and trains it in a run folder: prepares data, model, objective and evaluation,
// checks them before the first file is written, trains, and prints the last checkpoint. One of
// several processes trains its share. The recipe is that of the request, which must name a folder.
// Returns the last checkpoint (empty on all but the first process).
std::filesystem::path train(const spec::Recipe& recipe, const spec::RunRequest& request);

// Trains the recipe once for each of the request's seeds and prints the mean and standard deviation
// of what the runs measured last.
void train_seeds(const spec::Recipe& recipe, const spec::RunRequest& request);

// Measures a model's losses by noise level and position.
evaluation::LossProfile measure_losses(const evaluation::LossRequest& request);

// Runs a command in several processes of this program on one machine, with torchrun's variables,
// and returns when all have succeeded. The output of the first is shown unless `quiet`, that of
// another only (its last lines) if it fails. When one fails the others are ended, and all are
// started again as often as `restarts` says; then the Error names it and its exit status. Ctrl-C
// and SIGTERM are passed on and end in Interrupted; a second one ends all processes at once.
void launch(const cli::LaunchSettings& settings);

void bench_signature(cli::BenchSettings settings);
void bench_training(cli::BenchSettings settings);
void bench_decoding(cli::BenchSettings settings);

}  // namespace mgdm::torch_commands
