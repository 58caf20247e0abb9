#include "api/failure.h"
#include "engine/load_torch_network.h"
#include "inference/load_network.h"
#include "mgdm/training.h"
#include "model_files/checkpoints.h"
#include "spec/recipe.h"
#include "torch_commands/torch_commands.h"

namespace mgdm {

void use_libtorch() { inference::use_network_loader(engine::load_torch_network); }

std::string train(const std::string& recipe_file, const std::string& out,
                  const TrainOptions& options) {
  return api::or_failure([&] {
    const spec::RunRequest request{.recipe = recipe_file,
                                   .overrides = options.overrides,
                                   .out = out,
                                   .threads = options.threads,
                                   .resume = options.resume,
                                   .quiet = options.quiet};
    torch_commands::train(spec::checked_recipe(request), request);
    return model_files::newest_checkpoint(out).value_or("").string();
  });
}

}  // namespace mgdm
