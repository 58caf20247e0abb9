#include "workshop/start_model.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "compat/out_of_memory.h"
#include "inference/models.h"
#include "nn/checkpoint.h"
#include "spec/checkpoint_config.h"

namespace mgdm::workshop {
namespace {

spec::ModelSettings settings_for(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                                 std::int64_t length) {
  spec::ModelSettings settings = recipe.model;
  if (const int size = vocabulary.size();
      settings.vocabulary != spec::ModelSettings().vocabulary && settings.vocabulary != size)
    throw UsageError(fmt::format("model.vocabulary = {}", settings.vocabulary),
                     fmt::format("{}, which follows from data.alphabet", size));
  settings.vocabulary = vocabulary.size();
  if (settings.positions < length)
    throw UsageError(
        fmt::format("model.positions = {}, but rows have {} tokens", settings.positions, length),
        "at least as many positions as tokens in a row");
  return settings;
}

std::unique_ptr<nn::Model> make(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                                std::int64_t length) {
  const spec::ModelSettings settings = settings_for(recipe, vocabulary, length);
  if (recipe.init.empty()) return nn::make_model(settings, static_cast<std::uint64_t>(recipe.seed));
  const auto folder = inference::find_model(recipe.init);
  const spec::CheckpointConfig config = spec::read_config(folder);
  if (config.settings.architecture != settings.architecture)
    throw Error(fmt::format("init = {} is a {} model", recipe.init, config.settings.architecture),
                fmt::format("a {} model, as model.architecture says", settings.architecture));
  if (!config.alphabet.empty() && config.alphabet != vocabulary.alphabet())
    throw Error(
        fmt::format("{} was trained on the alphabet {}", recipe.init, in_quotes(config.alphabet)),
        "data.alphabet with the same characters in the same order");
  auto model = nn::make_model(settings, /*seed=*/{});
  nn::load_weights(folder, *model);
  return model;
}

}  // namespace

std::shared_ptr<nn::Model> start_model(const spec::Recipe& recipe,
                                       const data::Vocabulary& vocabulary, std::int64_t length,
                                       c10::Device device) {
  return compat::with_memory_for("the model", "a smaller model.width, or fewer model.layers",
                                 [&]() -> std::shared_ptr<nn::Model> {
                                   auto model = make(recipe, vocabulary, length);
                                   model->to(device);
                                   return model;
                                 });
}

spec::ModelCard card_of(const spec::Recipe& recipe, int length) {
  return {.task = recipe.task,
          .layout = recipe.data.layout,
          .length = length,
          .objective = recipe.objective.kind,
          .train_shown = recipe.objective.train_shown,
          .reverse = recipe.data.reverse,
          .precision = recipe.training.precision,
          .decoding = recipe.decoding};
}

std::unique_ptr<objectives::Objective> start_objective(const spec::Recipe& recipe, int vocabulary,
                                                       const nn::Parameters* parameters) {
  objectives::Settings settings = recipe.objective;
  settings.vocabulary = vocabulary;
  return objectives::make_objective(settings, parameters);
}

}  // namespace mgdm::workshop
