#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "nn/checkpoint.h"
#include "torch_commands/torch_commands.h"
#include "training/loss_profile.h"

namespace mgdm::torch_commands {

evaluation::LossProfile measure_losses(const evaluation::LossRequest& request) {
  compat::use_threads(request.threads);
  const nn::LoadedModel loaded = nn::load_model(request.model);
  loaded.model->to(compat::device(request.device));
  if (!loaded.about.card || !loaded.vocabulary)
    throw Error(fmt::format("{} names no task", request.model), "a model trained by mgdm");
  const spec::ModelCard& card = *loaded.about.card;
  const spec::PuzzleRows rows(card, *loaded.vocabulary);
  const std::size_t total = request.puzzles.size();
  const std::size_t count = std::min(static_cast<std::size_t>(request.batch), total);
  return compat::with_memory_for_puzzles(count, [&] {
    Progress progress("measuring losses on " + rows.task().name(), total, request.quiet);
    return training::profile_losses(*loaded.model, card, rows, request.puzzles,
                                    {.levels = request.levels,
                                     .samples = request.samples,
                                     .seed = request.seed,
                                     .batch = request.batch},
                                    card.precision == "bf16",
                                    [&](std::size_t n) { progress.add(n); });
  });
}

}  // namespace mgdm::torch_commands
