#include "runtime/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "runtime/weights.h"
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

struct Architecture {
  std::string_view name;
  void (*read)(const ModelSettings&, const Weights&, Arithmetic, Transformer&);
};
constexpr std::array kArchitectures{Architecture{"gpt2", read_gpt2},
                                    Architecture{"looped", read_looped}};

const Architecture& find(const std::string& name) {
  std::vector<std::string> names;
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name == name) return architecture;
    names.emplace_back(architecture.name);
  }
  throw Error(
      fmt::format("a network of architecture {}", in_quotes(name)),
      joined_or(names) + " in a program without LibTorch",
      "the full program, built with LibTorch, knows every architecture (in the source folder: "
      "cmake --preset release, then build/release/mgdm)");
}

}  // namespace

bool is_known(const std::string& architecture) {
  return std::ranges::any_of(kArchitectures,
                             [&](const Architecture& each) { return each.name == architecture; });
}

void check_known(const std::string& architecture) { find(architecture); }

Transformer make_transformer(const ModelSettings& settings, const formats::Safetensors& file,
                             Arithmetic arithmetic) {
  const Architecture& architecture = find(settings.architecture);
  spec::check(settings);
  if (settings.vectors > 0)
    throw Error("a network that reads noised vectors (objective vdm)",
                "one that reads tokens, in a program without LibTorch",
                "the full program, built with LibTorch, runs it");
  Transformer network;
  network.width = static_cast<std::size_t>(settings.width);
  network.heads = static_cast<std::size_t>(settings.heads);
  network.vocabulary = static_cast<std::size_t>(settings.vocabulary);
  network.positions = static_cast<std::size_t>(settings.positions);
  network.causal = settings.causal;
  network.shift = settings.shift;
  architecture.read(settings, Weights(file, settings), arithmetic, network);
  return network;
}

}  // namespace mgdm::runtime
