#include "runtime/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "formats/floats.h"
#include "model_files/weights.h"
#include "spec/kinds.h"
#include "spec/tensors.h"

namespace mgdm::runtime {
namespace {

using spec::ModelSettings;

Array<float> array(const Weights& weights, const std::string& name) {
  const std::vector<float> numbers = weights.at(name);
  Array<float> copy(numbers.size());
  std::copy(numbers.begin(), numbers.end(), copy.data());
  return copy;
}

// GPT-2 (Radford et al., 2019), its tensors by the names of Hugging Face.
void read_gpt2(const ModelSettings& settings, const Weights& weights, Arithmetic arithmetic,
               Transformer& network) {
  const std::size_t width = network.width;
  const auto norm = [&](const std::string& name) {
    return Norm{array(weights, name + ".weight"), array(weights, name + ".bias"), 1e-5f};
  };
  const auto linear = [&](const std::string& name, std::size_t out, std::size_t in) {
    return Linear{{weights.at(name + ".weight"), out, in, arithmetic},
                  array(weights, name + ".bias")};
  };
  network.attention_scale = 1 / std::sqrt(static_cast<float>(network.head_size()));
  network.activation = Activation::kGelu;
  const std::vector<float> tokens = weights.at("transformer.wte.weight");
  // It is the head as well. A small one is there twice, because its rows are slow to read from what
  // a product reads.
  constexpr std::int64_t kSmall = 16;  // a part of so many of all weights
  if (static_cast<std::int64_t>(tokens.size()) < spec::parameter_count(settings) / kSmall)
    network.token_table = {tokens, width, arithmetic};
  network.head = {{tokens, network.vocabulary, width, arithmetic}, {}};
  network.position_table = {weights.at("transformer.wpe.weight"), width, arithmetic};
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string block = fmt::format("transformer.h.{}.", i);
    network.blocks.push_back({norm(block + "ln_1"), linear(block + "attn.c_attn", 3 * width, width),
                              linear(block + "attn.c_proj", width, width), norm(block + "ln_2"),
                              linear(block + "mlp.c_fc", 4 * width, width),
                              linear(block + "mlp.c_proj", width, 4 * width)});
  }
  network.last_norm = norm("transformer.ln_f");
}

// A few blocks applied several times; no weights in norms, no biases.
void read_looped(const ModelSettings& settings, const Weights& weights, Arithmetic arithmetic,
                 Transformer& network) {
  constexpr float kEps = 1e-6f;
  const std::size_t width = network.width;
  const auto linear = [&](const std::string& name, std::size_t out, std::size_t in) {
    return Linear{{weights.at(name), out, in, arithmetic}, {}};
  };
  const auto table = [&](const std::string& name) {
    return Table(weights.at(name), width, arithmetic);
  };
  network.looped = true;
  network.loops = static_cast<std::size_t>(settings.loops);
  network.loop_norm = settings.loop_norm;
  network.attention_scale = 0.25f;
  network.head_norm_eps = kEps;
  network.activation = Activation::kReluSquared;
  network.token_table = table("embed.tokens");
  network.position_table = table("embed.positions");
  if (settings.frozen_embedding) network.given_table = table("embed.frozen");
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    network.blocks.push_back({{{}, {}, kEps},
                              linear(block + "qkv", 3 * width, width),
                              linear(block + "projection", width, width),
                              {{}, {}, kEps},
                              linear(block + "up", 4 * width, width),
                              linear(block + "down", width, 4 * width)});
  }
  network.last_norm = {{}, {}, kEps};
  network.head = linear("head", network.vocabulary, width);
}

using Read = void (*)(const ModelSettings&, const Weights&, Arithmetic, Transformer&);

// Null for a network that is not known here.
Read reader_of(const ModelSettings& settings) {
  switch (spec::architecture_kind(settings.architecture).family) {
    case spec::Family::kGpt2:
      return settings.vectors > 0 ? nullptr : read_gpt2;
    case spec::Family::kLooped:
      return read_looped;
    case spec::Family::kLlama:
      return nullptr;
  }
  check_failed("a known family", __FILE__, __LINE__);
}

std::vector<float> transposed(const std::vector<float>& from, std::size_t rows,
                              std::size_t columns) {
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  return to;
}

}  // namespace

bool is_known(const ModelSettings& settings) { return reader_of(settings) != nullptr; }

void check_known(const ModelSettings& settings) {
  if (is_known(settings)) return;
  throw NeedsLibTorch(
      fmt::format("a network of architecture {}{}", in_quotes(settings.architecture),
                  settings.vectors > 0 ? " that reads noised vectors (objective vdm)" : ""),
      "gpt2 or looped, which read tokens, in a program without LibTorch",
      "the full program, built with LibTorch, runs it (mgdm-train; in the source folder: cmake "
      "--preset release, cmake --build build/release)");
}

Transformer make_transformer(const ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic) {
  check_known(settings);
  spec::check(settings);
  Transformer network;
  network.width = static_cast<std::size_t>(settings.width);
  network.heads = static_cast<std::size_t>(settings.heads);
  network.vocabulary = static_cast<std::size_t>(settings.vocabulary);
  network.positions = static_cast<std::size_t>(settings.positions);
  network.causal = settings.causal;
  network.shift = settings.shift;
  reader_of(settings)(settings, Weights(file, settings), arithmetic, network);
  return network;
}

Weights::Weights(const formats::Safetensors& file, const spec::ModelSettings& settings)
    : source_(file.source()) {
  const std::vector<const formats::TensorView*> views = model_files::weights_in(file, settings);
  const std::vector<spec::TensorSpec> tensors = spec::tensors_of(settings);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    places_.emplace(tensors[i].name, Place{tensors[i], views[i],
                                           model_files::stored_transposed(settings, tensors[i])});
}

std::vector<float> Weights::at(const std::string& name) const {
  const Place& place = places_.at(name);
  std::vector<float> numbers = formats::to_floats(*place.view);
  for (const float number : numbers)
    if (!std::isfinite(number))
      throw Error(
          fmt::format("{}: tensor \"{}\" has the number {}", source_, place.view->name, number),
          "finite numbers", "load another checkpoint, or copy the file again");
  if (!place.transposed) return numbers;
  return transposed(numbers, static_cast<std::size_t>(place.view->shape[0]),
                    static_cast<std::size_t>(place.view->shape[1]));
}

}  // namespace mgdm::runtime
