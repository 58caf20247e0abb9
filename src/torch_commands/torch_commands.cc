#include "torch_commands/torch_commands.h"

#include "compat/out_of_memory.h"
#include "torch_commands/bench_train.h"

namespace mgdm::torch_commands {
namespace {

class Work final : public cli::TorchWork {
 public:
  void train(const spec::Recipe& recipe, const spec::RunRequest& request) override {
    if (request.seeds > 1)
      torch_commands::train_seeds(recipe, request);
    else
      torch_commands::train(recipe, request);
  }
  double seconds_per_step(const spec::Recipe& recipe) override {
    return torch_commands::seconds_per_step(recipe);
  }
  evaluation::LossProfile measure_losses(const evaluation::LossRequest& request) override {
    return torch_commands::measure_losses(request);
  }
  void launch(const cli::LaunchSettings& settings) override { torch_commands::launch(settings); }
  void bench_signature(const cli::BenchSettings& settings) override {
    torch_commands::bench_signature(settings);
  }
  void bench_train(const cli::BenchSettings& settings) override { bench_training(settings); }
  void bench_decode(const cli::BenchSettings& settings) override { bench_decoding(settings); }
  bool is_out_of_memory(const std::exception& error) const override {
    return compat::is_out_of_memory(error);
  }
};

}  // namespace

std::unique_ptr<cli::TorchWork> torch_work() { return std::make_unique<Work>(); }

}  // namespace mgdm::torch_commands
