#include "nn/model.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "nn/gpt2.h"
#include "nn/llama.h"
#include "nn/looped.h"
#include "spec/kinds.h"

namespace mgdm::nn {
namespace {

std::vector<spec::TensorSpec> all_tensors(const ModelSettings& settings) {
  std::vector<spec::TensorSpec> all = spec::tensors_of(settings);
  const std::vector<spec::TensorSpec> more = spec::lora_tensors_of(settings);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

Model::Model(const ModelSettings& settings, std::optional<std::uint64_t> seed, Drawn drawn)
    : Model(settings, Parameters(all_tensors(settings), seed, drawn)) {}

Model::Model(const ModelSettings& settings, Parameters parameters)
    : settings_(settings), parameters_(std::move(parameters)) {}

Cache Cache::of_rows(const at::Tensor& rows) const {
  Cache some{{}, length};
  for (const ops::KeysAndValues& layer : layers)
    some.layers.push_back({layer.keys.of_rows(rows), layer.values.of_rows(rows)});
  return some;
}

at::Tensor Model::next_logits(const at::Tensor&, Cache&) {
  throw Error("this model sees all positions and cannot decode token by token", "a causal one");
}

std::optional<ops::Transformer> Model::transformer(std::int64_t) const { return {}; }

at::Tensor Model::embed(ops::EmbeddingTables tables, const Input& input, std::int64_t first,
                        double dropout) const {
  if (input.noise_level.defined())
    throw Error(fmt::format("a {} network got a noise level", settings_.architecture),
                "a gpt2 network with model.vectors");
  const at::Tensor& rows = input.vectors.defined() ? input.vectors : input.tokens;
  const std::int64_t end = first + rows.size(1);
  if (end > settings_.positions)
    throw Error(fmt::format("a sequence of {} tokens", end),
                fmt::format("at most {}, the length of this model", settings_.positions));
  tables.positions = tables.positions.slice(0, first, end);
  return ops::embed(
      tables, {.tokens = input.tokens, .vectors = input.vectors, .frozen = input.frozen}, dropout);
}

std::unique_ptr<Model> make_model(const ModelSettings& settings, std::optional<std::uint64_t> seed,
                                  Drawn drawn) {
  spec::check(settings);
  switch (spec::architecture_kind(settings.architecture).family) {
    case spec::Family::kGpt2:
      return std::make_unique<Gpt2>(settings, seed);
    case spec::Family::kLooped:
      return std::make_unique<Looped>(settings, seed);
    case spec::Family::kLlama:
      return std::make_unique<Llama>(settings, seed, drawn);
  }
  check_failed("a known family", __FILE__, __LINE__);
}

}  // namespace mgdm::nn
