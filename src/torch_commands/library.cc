#include <exception>

#include "api/failure.h"
#include "base/error.h"
#include "engine/load_torch_network.h"
#include "inference/load_network.h"
#include "mgdm/training.h"
#include "model_files/checkpoints.h"
#include "spec/recipe.h"
#include "torch_commands/torch_commands.h"

namespace mgdm {

void use_libtorch() { inference::use_network_loader(engine::load_network); }

std::string train(const std::string& recipe_file, const std::string& out,
                  const TrainOptions& options) {
  std::exception_ptr thrown;
  const std::string folder = api::or_failure([&] {
    spec::RunRequest request{.recipe = recipe_file,
                             .overrides = options.overrides,
                             .out = out,
                             .threads = options.threads,
                             .resume = options.resume,
                             .quiet = options.quiet};
    bool stopped = false;
    if (options.on_progress)
      request.on_progress = [&](const spec::RunProgress& progress) {
        try {
          stopped = !options.on_progress({progress.step, progress.done, progress.metrics});
        } catch (...) {
          thrown = std::current_exception();
          stopped = true;
        }
        return !stopped;
      };
    try {
      torch_commands::train(spec::checked_recipe(request), request);
    } catch (const Interrupted&) {
      if (!stopped) throw;
    }
    return model_files::newest_checkpoint(out).value_or("").string();
  });
  if (thrown) std::rethrow_exception(thrown);
  return folder;
}

}  // namespace mgdm
