#include "spec/tensors.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "spec/kinds.h"

namespace mgdm::spec {
namespace {

using Shape = std::vector<std::int64_t>;

// VDM's noise schedule begins as in Plaid (Gulrajani and Hashimoto, 2023).
constexpr double kFirstGamma = -3, kLastGamma = 6;
constexpr std::int64_t kGammaBins = 32;

// What VDM adds to a network, and learns itself: nn/noised_vectors.h and objectives/vdm_schedule.h
// say what they are. The prefix is that of all tensors in GPT-2's files.
void add_vdm_tensors(const ModelSettings& settings, std::vector<TensorSpec>& list) {
  constexpr double kStd = 0.02;
  const std::int64_t width = settings.width;
  const auto add = [&](const char* name, Shape shape, Init init) {
    list.push_back({std::string("transformer.vdm.") + name, std::move(shape), init});
  };
  add("tokens", {settings.vocabulary, settings.vectors}, {.std = 1});
  add("gamma.first", {1}, {.constant = kFirstGamma});
  add("gamma.log_range", {1}, {.constant = std::log(kLastGamma - kFirstGamma)});
  add("gamma.density", {kGammaBins}, {});
  add("input", {width, settings.vectors}, {kStd});
  add("guess", {width, settings.vectors}, {});
  add("level.up.weight", {width, kLevelFeatures}, {kStd});
  add("level.up.bias", {width}, {});
  add("level.down.weight", {width, width}, {kStd});
  add("level.down.bias", {width}, {});
}

std::vector<TensorSpec> gpt2_tensors(const ModelSettings& settings) {
  constexpr double kStd = 0.02;
  // Residual outputs start smaller the more of them add up: 0.02 / sqrt(2 layers).
  const double residual_std = kStd / std::sqrt(2.0 * static_cast<double>(settings.layers));
  const std::int64_t width = settings.width;
  std::vector<TensorSpec> list;
  const auto norm = [&](const std::string& name) {
    list.push_back({name + ".weight", {width}, {.constant = 1}});
    list.push_back({name + ".bias", {width}, {}});
  };
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out, double std) {
    list.push_back({name + ".weight", {out, in}, {std}, Role::kMatrix});
    list.push_back({name + ".bias", {out}, {}});
  };
  list.push_back({"transformer.wte.weight", {settings.vocabulary, width}, {kStd}});
  list.push_back({"transformer.wpe.weight", {settings.positions, width}, {kStd}});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string block = fmt::format("transformer.h.{}.", i);
    norm(block + "ln_1");
    linear(block + "attn.c_attn", width, 3 * width, kStd);
    linear(block + "attn.c_proj", width, width, residual_std);
    norm(block + "ln_2");
    linear(block + "mlp.c_fc", width, 4 * width, kStd);
    linear(block + "mlp.c_proj", 4 * width, width, residual_std);
  }
  norm("transformer.ln_f");
  if (settings.vectors > 0) add_vdm_tensors(settings, list);
  return list;
}

std::vector<TensorSpec> looped_tensors(const ModelSettings& settings) {
  constexpr double kEmbeddingStd = 0.5;
  const std::int64_t width = settings.width;
  const double std = 0.5 / std::sqrt(static_cast<double>(width));
  std::vector<TensorSpec> list;
  list.push_back({"embed.tokens", {settings.vocabulary, width}, {kEmbeddingStd}});
  list.push_back({"embed.positions", {settings.positions, width}, {kEmbeddingStd}});
  if (settings.frozen_embedding) list.push_back({"embed.frozen", {2, width}, {kEmbeddingStd}});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const auto matrix = [&](const char* name, Shape shape, Init init) {
      list.push_back({fmt::format("blocks.{}.{}", i, name), std::move(shape), init, Role::kMatrix});
    };
    matrix("qkv", {3 * width, width}, {std});
    matrix("projection", {width, width}, {});
    matrix("up", {4 * width, width}, {std});
    matrix("down", {width, 4 * width}, {});
  }
  list.push_back({"head", {settings.vocabulary, width}, {}});
  return list;
}

}  // namespace

std::vector<TensorSpec> tensors_of(const ModelSettings& settings) {
  return architecture_kind(settings.architecture).gpt2_files ? gpt2_tensors(settings)
                                                             : looped_tensors(settings);
}

std::int64_t parameter_count(const ModelSettings& settings) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : tensors_of(settings))
    count += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                             std::multiplies<>());
  return count;
}

}  // namespace mgdm::spec
