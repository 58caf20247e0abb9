#include "reproduction/plan.h"

#include "inference/models.h"
#include "model_files/checkpoint_config.h"
#include "spec/kinds.h"

namespace mgdm::reproduction {

std::vector<ShippedModel> shipped_models() {
  std::vector<ShippedModel> models;
  for (const auto& [name, folder] : inference::named_models()) {
    const model_files::CheckpointConfig config = model_files::read_config(folder);
    if (!config.about.card) continue;
    const spec::ModelCard& card = *config.about.card;
    const bool looped = spec::architecture_kind(config.settings.architecture).loops;
    models.push_back({name, folder, card.task, card.options,
                      spec::objective_kind(card.objective).decoder == decoding::Decoder::kDiffusion,
                      looped ? config.settings.loops : 0});
  }
  return models;
}

}  // namespace mgdm::reproduction
