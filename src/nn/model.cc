#include "nn/model.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "nn/gpt2.h"
#include "nn/looped.h"

namespace mgdm::nn {

Model::Model(const ModelSettings& settings, std::optional<std::uint64_t> seed)
    : Model(settings, Parameters(spec::tensors_of(settings), seed)) {}

Model::Model(const ModelSettings& settings, Parameters parameters)
    : settings_(settings), parameters_(std::move(parameters)) {}

at::Tensor Model::next_logits(const at::Tensor&, Cache&) {
  throw Error("this model sees all positions and cannot decode token by token", "a causal one");
}

at::Tensor Model::embed(ops::EmbeddingTables tables, const Input& input, std::int64_t first,
                        double dropout) const {
  if (input.noise_level.defined())
    throw Error(fmt::format("a {} network was told a noise level", settings_.architecture),
                "one that has a use for it");
  const at::Tensor& rows = input.vectors.defined() ? input.vectors : input.tokens;
  const std::int64_t end = first + rows.size(1);
  if (end > settings_.positions)
    throw Error(fmt::format("a sequence of {} tokens", end),
                fmt::format("at most {}, the length of this model", settings_.positions));
  tables.positions = tables.positions.slice(0, first, end);
  return ops::embed(
      tables, {.tokens = input.tokens, .vectors = input.vectors, .frozen = input.frozen}, dropout);
}

std::unique_ptr<Model> make_model(const ModelSettings& settings,
                                  std::optional<std::uint64_t> seed) {
  spec::check(settings);
  if (settings.architecture == "gpt2") return std::make_unique<Gpt2>(settings, seed);
  return std::make_unique<Looped>(settings, seed);
}

}  // namespace mgdm::nn
