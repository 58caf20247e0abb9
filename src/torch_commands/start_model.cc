#include "torch_commands/start_model.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "compat/out_of_memory.h"
#include "data/prepare_data.h"
#include "formats/safetensors_folder.h"
#include "inference/models.h"
#include "model_files/adapter.h"
#include "model_files/checkpoint_config.h"
#include "model_files/weights.h"
#include "nn/checkpoint.h"
#include "spec/kinds.h"

namespace mgdm::torch_commands {
namespace {

bool is_llama(const spec::Recipe& recipe) {
  return spec::architecture_kind(recipe.model.architecture).family == spec::Family::kLlama;
}

void check_vocabulary(const spec::Recipe& recipe, const data::Vocabulary& vocabulary) {
  const int size = vocabulary.size();
  const std::int64_t asked = recipe.model.vocabulary;
  if (asked == spec::ModelSettings().vocabulary || asked == size) return;
  if (is_llama(recipe) && asked > size) return;  // its tables may have room for more
  throw UsageError(fmt::format("model.vocabulary = {}", asked),
                   fmt::format("{}, which follows from data.alphabet", size));
}

void check_positions(const spec::ModelSettings& settings, std::int64_t length) {
  if (settings.positions < length)
    throw UsageError(
        fmt::format("model.positions = {}, but rows have {} tokens", settings.positions, length),
        "at least as many positions as tokens in a row");
}

spec::ModelSettings settings_for(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                                 std::int64_t length) {
  spec::ModelSettings settings = recipe.model;
  check_vocabulary(recipe, vocabulary);
  settings.vocabulary = is_llama(recipe)
                            ? std::max<std::int64_t>(recipe.model.vocabulary, vocabulary.size())
                            : vocabulary.size();
  check_positions(settings, length);
  return settings;
}

// Weights of another network may fit, and mean something else: heads and shift are in no shape.
void check_same_network(const spec::Recipe& recipe, const spec::ModelSettings& settings) {
  std::vector<std::string> has, wants, instead;
  const auto same = [&](const char* name, auto asked, auto is) {
    if (asked == is) return;
    has.push_back(fmt::format("{} = {}", name, is));
    wants.push_back(fmt::format("model.{} = {}", name, asked));
    instead.push_back(fmt::format("model.{}={}", name, is));
  };
  same("layers", recipe.model.layers, settings.layers);
  same("heads", recipe.model.heads, settings.heads);
  same("width", recipe.model.width, settings.width);
  same("shift", recipe.model.shift, settings.shift);
  same("vectors", recipe.model.vectors, settings.vectors);
  if (!has.empty())
    throw Error(fmt::format("init = {} has {}", recipe.init, joined_by(has, ", ")),
                fmt::format("{}, as the recipe says", joined_by(wants, ", ")),
                fmt::format("a recipe for this model, or {}", joined_by(instead, " ")));
}

// Where a run's first weights are, and what they are.
struct Init {
  std::filesystem::path folder;
  model_files::CheckpointConfig config;
};

// None where they are drawn. An Error when they are of another network or of other tokens.
std::optional<Init> init_of(const spec::Recipe& recipe, const data::Vocabulary& vocabulary) {
  if (recipe.init.empty()) return std::nullopt;
  const auto folder = inference::find_model(recipe.init);
  Init init{folder, model_files::read_config(folder)};
  const model_files::CheckpointConfig& config = init.config;
  if (config.settings.architecture != recipe.model.architecture)
    throw Error(fmt::format("init = {} is a {} model", recipe.init, config.settings.architecture),
                fmt::format("a {} model, as model.architecture says", recipe.model.architecture));
  if (!config.alphabet.empty() && config.alphabet != vocabulary.alphabet())
    throw Error(
        fmt::format("{} was trained on the alphabet {}", recipe.init, in_quotes(config.alphabet)),
        "data.alphabet with the same characters in the same order");
  check_same_network(recipe, config.settings);
  return init;
}

// Whether its files are there, whole and of one model, as far as names and shapes say. By its own
// settings: the recipe may want more positions.
void check_weights(const Init& init, const spec::LoraSettings& lora) {
  std::filesystem::path base = init.folder;
  if (model_files::is_adapter(init.folder)) {
    const model_files::Adapter adapter = model_files::read_adapter(init.folder);
    model_files::check_rank(init.folder, adapter, lora);
    base = model_files::base_folder(init.folder, adapter);
    model_files::check_base(init.config.about, base);
    model_files::adapter_weights_in(model_files::open_adapter(init.folder), init.config.settings);
  }
  model_files::weights_in(formats::open_safetensors_folder(base), init.config.settings);
}

// The shape of a language model is what its folder says; the recipe says how large it is meant to
// be, and what is trained.
spec::ModelSettings settings_of_base(const spec::Recipe& recipe,
                                     const model_files::CheckpointConfig& config,
                                     std::int64_t length) {
  spec::ModelSettings settings = config.settings;
  settings.lora = recipe.model.lora;
  check_positions(settings, length);
  return settings;
}

// Weights with fewer positions than the recipe's: the positions after theirs are drawn.
std::unique_ptr<nn::Model> lengthened(const std::filesystem::path& folder,
                                      const spec::ModelSettings& settings, std::int64_t positions,
                                      std::uint64_t seed) {
  spec::ModelSettings shorter = settings;
  shorter.positions = positions;
  const auto first = nn::make_model(shorter, /*seed=*/{});
  nn::load_weights(folder, *first);
  auto model = nn::make_model(settings, seed);
  const at::NoGradGuard no_grad;
  for (const spec::TensorSpec& tensor : spec::tensors_of(shorter)) {
    const at::Tensor& value = first->parameters().at(tensor.name);
    model->parameters().at(tensor.name).slice(0, 0, value.size(0)).copy_(value);
  }
  return model;
}

spec::ModelSettings settings_of(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                                const std::optional<Init>& init, std::int64_t length) {
  return init && is_llama(recipe) ? settings_of_base(recipe, init->config, length)
                                  : settings_for(recipe, vocabulary, length);
}

std::unique_ptr<nn::Model> make(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                                std::int64_t length) {
  const auto seed = static_cast<std::uint64_t>(recipe.seed);
  const std::optional<Init> init = init_of(recipe, vocabulary);
  const spec::ModelSettings settings = settings_of(recipe, vocabulary, init, length);
  if (!init) return nn::make_model(settings, seed);
  if (!is_llama(recipe) && init->config.settings.positions < settings.positions)
    return lengthened(init->folder, settings, init->config.settings.positions, seed);
  // LoRA's matrices are drawn, its base is loaded.
  const bool lora = settings.lora.rank > 0;
  auto model =
      nn::make_model(settings, lora ? std::optional(seed) : std::nullopt, nn::Drawn::kTrained);
  nn::load_weights(init->folder, *model);
  return model;
}

// The options of the task, when all puzzles are generated with the same ones.
std::vector<std::string> options_of(const spec::Recipe& recipe) {
  const std::vector<data::SourceSettings> sources = recipe.data.all_sources();
  const tasks::Options& options = sources.front().task;
  const bool known = std::ranges::all_of(sources, [&](const data::SourceSettings& source) {
    return source.files.empty() && source.task == options;
  });
  return known ? options.of_task(recipe.task) : std::vector<std::string>{};
}

}  // namespace

data::Vocabulary start_vocabulary(const spec::Recipe& recipe) {
  if (!is_llama(recipe) || recipe.init.empty())
    return data::vocabulary_of(recipe.task, recipe.data);
  const std::filesystem::path folder = inference::find_model(recipe.init);
  data::Vocabulary vocabulary =
      model_files::read_vocabulary(folder, model_files::read_config(folder));
  if (!recipe.data.alphabet.empty() && recipe.data.alphabet != vocabulary.alphabet())
    throw UsageError(
        fmt::format("data.alphabet with init = {}, which has {}", recipe.init,
                    vocabulary.tokenizer() ? "a tokenizer of its own"
                                           : "the alphabet " + in_quotes(vocabulary.alphabet())),
        "no data.alphabet: tokens are those of the model");
  return vocabulary;
}

std::optional<spec::BaseModel> start_base(const spec::Recipe& recipe) {
  if (recipe.model.lora.rank == 0) return std::nullopt;
  if (recipe.init.empty())
    throw UsageError("model.lora.rank without init",
                     "init=DIR: the model that LoRA is trained beside");
  const std::filesystem::path folder = inference::find_model(recipe.init);
  return model_files::base_model(
      model_files::is_adapter(folder)
          ? model_files::base_folder(folder, model_files::read_adapter(folder))
          : folder);
}

void check_start(const spec::Recipe& recipe, const data::Vocabulary& vocabulary) {
  const std::optional<Init> init = init_of(recipe, vocabulary);
  settings_of(recipe, vocabulary, init, recipe.data.length);
  if (init) check_weights(*init, recipe.model.lora);
}

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
          .blank = recipe.data.blank,
          .options = options_of(recipe),
          .objective = recipe.objective.kind,
          .train_shown = recipe.objective.train_shown,
          .reverse = recipe.data.reverse,
          .precision = recipe.training.precision,
          .decoding = recipe.decoding};
}

std::unique_ptr<objectives::Objective> start_objective(const spec::Recipe& recipe,
                                                       const data::Vocabulary& vocabulary,
                                                       const nn::Parameters* parameters) {
  objectives::Settings settings = recipe.objective;
  settings.vocabulary = vocabulary.size();
  settings.pad = vocabulary.specials().pad;
  return objectives::make_objective(settings, parameters);
}

}  // namespace mgdm::torch_commands
